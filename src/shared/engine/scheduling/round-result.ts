export interface RoundResult {
  /** The number of rows found and handled in this round. */
  readonly found: number;
  /** There may be more right now: the limit was reached. */
  readonly more: boolean;
}
