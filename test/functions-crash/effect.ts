/** A call of a step to the receiver. */
export interface EffectCall {
  readonly tag: string;
  readonly executionId: string;
  /** The id of the operation. */
  readonly id: string;
  readonly phase: 'do' | 'undo' | 'refuse';
  /** The receiver answers this many calls with 503 before it accepts one. */
  readonly failures: number;
  /** A hash of everything that the function has seen before the step. */
  readonly seen: string;
  readonly worker: string;
}

export interface EffectReply {
  readonly answer: string;
}

/** The result of an operation. */
export type Result = string | { readonly [name: string]: Result | number } | readonly Result[];
