import type { TenantId } from '../../domain/ids.ts';
import type { EngineReport } from '../report.ts';
import type { FlowStore } from '../../store/flow.ts';

export interface FlowRound {
  readonly found: number;
  readonly more: boolean;
  readonly shards: ReadonlySet<number>;
  /** Those with executions that wait. */
  readonly tenants: readonly TenantId[];
}

/** Keys that one round reads; those with room come first. */
const KEYS_MAX = 500;
/** Executions of one key that get their places by one statement. */
const ADMITTED_MAX = 200;

/** Gives the places that are free to the executions that wait for them, in the order of their starts. */
export async function admitWaiting(
  flow: FlowStore,
  report: Pick<EngineReport, 'count' | 'observe'>,
): Promise<FlowRound> {
  const keys = await flow.listKeys({ limit: KEYS_MAX });
  const shards = new Set<number>();
  let found = 0;
  let more = false;
  for (const { tenantId, placeKey, hasRoom } of keys) {
    if (!hasRoom) break;
    const admitted = await flow.admit({ tenantId, placeKey, limit: ADMITTED_MAX });
    found += admitted.length;
    more ||= admitted.length >= ADMITTED_MAX;
    for (const { shard, waitedMs } of admitted) {
      shards.add(shard);
      report.observe('execution_wait_seconds', waitedMs / 1_000);
    }
  }
  if (found > 0) report.count('executions_admitted', found, { reason: 'concurrency' });
  const full = keys.length >= KEYS_MAX && keys.at(-1)?.hasRoom === true;
  return { found, more: more || full, shards, tenants: keys.map(({ tenantId }) => tenantId) };
}
