/** Something wrong, or doubtful, in a workflow definition. */
export interface Problem {
  /** RFC 6901, from the root of the IR: `/nodes/reserve/kind/module`. */
  readonly pointer: string;
  readonly message: string;
}
