import type { ExecutionId } from '../../domain/ids.ts';
import type { Held } from './held-execution.ts';
import type { DecisionHome } from '../commit/commit-plan.ts';
import type { RunningItem } from './run-items.ts';

/**
 * What a process that both starts executions and advances them says to a start. Where it holds the
 * execution's shard, the first items are born leased to it like those of every later decision, and
 * run as soon as the start is committed: without a way over the queue, and without being read again.
 *
 * They go to the queue while the process has no room or older ones wait there, so that what comes
 * new never overtakes for long. A process that dies after the commit leaves leases, as ever.
 */
export interface StartsHere {
  /** Null: the items go to their queue. */
  leaseTo(shard: number): DecisionHome['leaseTo'];
  /** The answer to a start with items leased to this process was lost: it may have happened. */
  doubt(executionId: ExecutionId): void;
  /** The start is committed: the execution as it is now, with the items it has leased here. */
  begin(
    held: Held,
    first: { readonly marked: boolean; readonly items: readonly RunningItem[] },
  ): void;
}
