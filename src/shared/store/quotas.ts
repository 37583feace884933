import type { WorkItemId } from '../domain/ids.ts';
import type { QuotaQueue } from '../domain/work/quota.ts';

/**
 * Places of the quotas of tools. An item takes one when it moves to the queue of its workers, and
 * has it until it is neither there nor in a lease: so a lease that lapses frees its place.
 */
export interface QuotaStore {
  /** Keys of queues on which items wait for a place, in the order of the keys. */
  listWaiting(params: {
    /** Null: from the first. */
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly string[]>;
  /**
   * Moves items to the queue of their workers, as many as there are places now and at most
   * `atMost`: lower priority numbers first, then the oldest. Counted under a lock of the quota.
   */
  admit(queue: QuotaQueue, options: { readonly atMost: number }): Promise<readonly WorkItemId[]>;
}
