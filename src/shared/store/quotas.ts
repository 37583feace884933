import type { WorkItemId } from '../domain/ids.ts';
import type { Bucket, QuotaQueue } from '../domain/work/quota.ts';

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
  admit(queue: PlacedQueue, options: { readonly atMost: number }): Promise<readonly WorkItemId[]>;
  /**
   * The same for a queue with a rate: each item also takes a token, in the same transaction and by
   * the clock of the database, under a lock of the bucket.
   */
  admitAtRate(queue: PacedQueue, options: { readonly atMost: number }): Promise<PacedAdmission>;
}

export type PlacedQueue = QuotaQueue & { readonly limit: number };
export type PacedQueue = QuotaQueue & { readonly bucket: Bucket };

export interface PacedAdmission {
  readonly admitted: readonly WorkItemId[];
  /** Until the bucket has a token; 0: it has one. */
  readonly nextTokenMs: number;
}
