/** A conformance kit or a foreign client that runs against the real service. */
export interface Leg {
  /** The name for `--only`. */
  readonly name: string;
  /** Prints its results. Throws if it could not run, which counts as one failure. */
  run(): Promise<LegTotals>;
}

export interface LegTotals {
  readonly passed: number;
  readonly failed: number;
}
