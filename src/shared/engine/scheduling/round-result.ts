export interface RoundResult {
  /** What was found and acted upon in this round. */
  readonly found: number;
  /** There may be more right now: the limit was reached. */
  readonly more: boolean;
}
