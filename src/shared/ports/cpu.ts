import type { DocumentFormat, ReadDocument } from '../domain/document.ts';
import type { TenantId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';

/** CPU-bound work, done on the worker-thread pool when it is large and inline when it is small. */
export interface Cpu {
  /** Every violation of a JSON Schema as `<pointer>: <message>`; empty when valid. */
  validateSchema(params: {
    readonly schema: JsonObject;
    readonly value: JsonValue;
    readonly caller: CpuCaller;
  }): Promise<readonly string[]>;
  /**
   * The errors of a JSON Schema itself, as `<pointer>: <message>`; empty when it is valid. A
   * pattern that cannot be matched in linear time is an error here. `validateSchema` still accepts
   * it, because a definition may have been stored before this check existed.
   */
  checkSchema(params: {
    readonly schema: JsonObject;
    readonly caller: CpuCaller;
  }): Promise<readonly string[]>;
  /** Reads the text of a document, and finds the places of these JSON pointers in it. */
  readDocument(params: {
    readonly text: string;
    readonly format: DocumentFormat;
    readonly pointers: readonly string[];
    readonly caller: CpuCaller;
  }): Promise<ReadDocument>;
  /** A run of a definition in memory: see `engine/simulation/simulate-run`. */
  simulate(params: { readonly request: JsonObject; readonly caller: CpuCaller }): Promise<unknown>;
  /**
   * The decision of `domain/execution/decide` for an execution given as stored text.
   * `snapshot` is an encoded state, `ir` the stored definition; the answer is plain data.
   */
  decide(params: {
    readonly ir: JsonObject;
    readonly snapshot: string;
    readonly caller: CpuCaller;
  }): Promise<unknown>;
}

/** The tenant and caller of CPU-bound work: tenants share the pool, and a caller may leave. */
export interface CpuCaller {
  readonly tenantId: TenantId;
  /** Aborted when nobody waits for the result any more: the request is closed, the lease is lost. */
  readonly signal: AbortSignal | null;
  /**
   * `refused`: a request gets 429 or 503 when its tenant has used its share. `waits`: work of the
   * engine waits for its turn instead, as it must not be lost; the engine bounds how much there is.
   */
  readonly whenBusy: 'refused' | 'waits';
}
