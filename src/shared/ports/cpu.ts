import type { JsonObject, JsonValue } from '../domain/json.ts';

/** CPU-bound work, done on the worker-thread pool when it is large and inline when it is small. */
export interface Cpu {
  /** Every violation of a JSON Schema as `<pointer>: <message>`; empty when valid. */
  validateSchema(params: {
    readonly schema: JsonObject;
    readonly value: JsonValue;
  }): Promise<readonly string[]>;
  /** What is wrong with a JSON Schema itself, as `<pointer>: <message>`; empty when it is sound. */
  checkSchema(params: { readonly schema: JsonObject }): Promise<readonly string[]>;
  /**
   * The decision of `domain/execution/decide` for an execution given as stored text.
   * `snapshot` is an encoded state, `ir` the stored definition; the answer is plain data.
   */
  decide(params: { readonly ir: JsonObject; readonly snapshot: string }): Promise<unknown>;
}
