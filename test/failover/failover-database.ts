import type { ClusterDatabase } from '../chaos/cluster/postgres.ts';

export interface Promotion {
  readonly node: string;
  /** When the server became the primary, by the clock of `performance`. */
  readonly at: number;
}

/** Several servers, of which one is the primary at a time. */
export interface FailoverDatabase extends ClusterDatabase {
  /** All promotions so far. */
  readPromotions(): Promise<readonly Promotion[]>;
}
