import type { RetentionDays } from '../../domain/retention/retention-policy.ts';
import type { RetentionStore } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';
import { sweepAfterMs } from './scan-due.ts';

interface Deps {
  readonly store: Pick<Store, 'retention'>;
}

/** Has new events stored in partitions of so many days. Reads the whole table of events once. */
export function partitionEvents(
  { store }: Deps,
  { days }: { readonly days: number },
): ReturnType<RetentionStore['partitionEvents']> {
  return store.retention.partitionEvents({ days });
}

/** Drops and shrinks partitions whose events may go; `defaults`: where no policy says anything. */
export async function tendPartitions(
  { store }: Deps,
  { defaults }: { readonly defaults: RetentionDays },
): ReturnType<RetentionStore['tendPartitions']> {
  const { retention } = store;
  return retention.tendPartitions({ sweepAfterMs: await sweepAfterMs(retention, defaults) });
}
