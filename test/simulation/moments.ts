import type { CommitPlan } from '../../src/shared/store/commit.ts';
import type { FaultKind } from './faults.ts';

/** Rare calls of the store, at which processes die more often than at others. */
export function momentOf(name: string, given: readonly unknown[]): FaultKind | null {
  if (name === 'retention.retire') return 'crash_at_removal';
  if (name === 'imports.add') return 'crash_at_import';
  if (name !== 'executions.commit') return null;
  const plans = given[0] as readonly CommitPlan[];
  if (plans.some(({ waitingItems }) => waitingItems !== null)) return 'crash_at_pause';
  return plans.some(carriesOn) ? 'crash_at_retry' : null;
}

function carriesOn({ create, events }: CommitPlan): boolean {
  if (create === null) return false;
  return /"(?:retried|forked)_from"/.test(events[0]?.payload ?? '');
}
