/**
 * A durable function as others refer to it: its name, and the types of its input and output, which exist at
 * compile time only. The result of `defineFunction` satisfies it, and so does `{ name: 'order' }`.
 */
export interface FunctionRef<Input = unknown, Output = unknown> {
  /** 1 to 256 letters, digits, `_`, `.` and `-`. */
  readonly name: string;
  /** Absent at run time. */
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}
