/** A conformance kit, or somebody else's client, that is run against the real service. */
export interface Leg {
  /** For `--only`. */
  readonly name: string;
  /** Prints what it finds. Throws when it could not run at all, which counts as one failure. */
  run(): Promise<LegTotals>;
}

export interface LegTotals {
  readonly passed: number;
  readonly failed: number;
}
