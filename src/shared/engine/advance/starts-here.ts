import type { ExecutionId } from '../../domain/ids.ts';
import type { Held } from './held-execution.ts';
import type { DecisionHome } from '../commit/collect-effects.ts';
import type { RunningItem } from './run-items.ts';

/**
 * Executions that start and run in the same process. If this process holds the shard of an
 * execution, the start leases the first items to it, as every later decision does. They run as soon
 * as the start is committed, without the queue and without another read.
 *
 * They go to the queue while the process has no room, or while older items wait there, so that new
 * items never overtake old ones for long. A process that dies after the commit leaves leases, which
 * expire.
 */
export interface StartsHere {
  /** Null: the items go to their queue. */
  leaseTo(shard: number): DecisionHome['leaseTo'];
  /**
   * The answer to a start with items leased to this process was lost: the start may have happened.
   */
  noteLostAnswer(executionId: ExecutionId): void;
  /** The start is committed: the execution as it is now, with the items leased to this process. */
  begin(
    held: Held,
    first: { readonly isMarked: boolean; readonly items: readonly RunningItem[] },
  ): void;
}
