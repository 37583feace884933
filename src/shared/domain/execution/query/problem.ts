/** A mistake in a query. */
export interface QueryProblem {
  /** From 0, in UTF-16 code units, as editors count. */
  readonly position: number;
  /** 0: something is missing at the position. */
  readonly length: number;
  readonly message: string;
  /** The words that the query could have there. */
  readonly expected: readonly string[];
}
