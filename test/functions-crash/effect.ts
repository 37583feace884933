/** What a step of a worker asks of the receiver. */
export interface EffectCall {
  readonly tag: string;
  readonly executionId: string;
  /** Of the operation. */
  readonly id: string;
  readonly phase: 'do' | 'undo' | 'refuse';
  /** So many calls are answered with 503 before one is taken. */
  readonly failures: number;
  /** A hash of all that the function has seen before. */
  readonly seen: string;
  readonly worker: string;
}

export interface EffectReply {
  readonly answer: string;
}

/** What an operation gives. */
export type Result = string | { readonly [name: string]: Result | number } | readonly Result[];
