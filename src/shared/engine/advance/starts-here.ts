import type { ExecutionId } from '../../domain/ids.ts';
import type { Held } from './held-execution.ts';
import type { DecisionHome } from '../commit/commit-plan.ts';
import type { RunningItem } from './run-items.ts';

/**
 * Executions that start and run in the same process. Where this process holds the shard of an
 * execution, the start leases the first items to it, like every later decision does, and they run as
 * soon as the start is committed: without a way over the queue, and without a further reading.
 *
 * They go to the queue while the process has no room, or while older items wait there, so that new
 * items never overtake old ones for long. A process that dies after the commit leaves leases, which
 * lapse.
 */
export interface StartsHere {
  /** Null: the items go to their queue. */
  leaseTo(shard: number): DecisionHome['leaseTo'];
  /** The answer to a start with items leased to this process was lost: it may have happened. */
  noteLostAnswer(executionId: ExecutionId): void;
  /** The start is committed: the execution as it is now, with the items leased to this process. */
  begin(
    held: Held,
    first: { readonly isMarked: boolean; readonly items: readonly RunningItem[] },
  ): void;
}
