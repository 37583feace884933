import type { JsonObject, JsonValue } from '../../json.ts';

/*
 * A whole execution as one JSON object, for files: what is archived, exported and imported. Its
 * names are those of the database. New fields may be added at any time; an existing field keeps its
 * meaning as long as the format number stays.
 */

export const EXECUTION_FORMAT = 'svc.execution.1';

export interface ExecutionDocument {
  readonly format: typeof EXECUTION_FORMAT;
  readonly execution: DocumentedExecution;
  /** The revision that it ran on, if known. */
  readonly definition: DocumentedDefinition | null;
  /** All of them, from sequence 1, without gaps. */
  readonly events: readonly DocumentedEvent[];
  /** `body` is the encoded state as of `sequence`. */
  readonly snapshot: { readonly sequence: number; readonly body: string } | null;
  /** Results kept for replay, except those that were deleted. Most results are in events alone. */
  readonly recorded_outputs: readonly DocumentedOutput[];
}

export type DocumentHead = Omit<ExecutionDocument, 'events'>;

/** Times are ISO 8601 UTC with milliseconds; execution ids have their prefix. */
export interface DocumentedExecution {
  readonly execution_id: string;
  readonly tenant_id: string;
  readonly definition_id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly parent_execution_id: string | null;
  readonly status: string;
  readonly last_sequence: number;
  readonly shard: number;
  readonly priority: number;
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
}

export interface DocumentedDefinition {
  readonly definition_id: string;
  readonly revision: number;
  /** Hex SHA-256. */
  readonly ir_hash: string;
}

export interface DocumentedEvent {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload: JsonObject;
  readonly actor_id: string;
  readonly created_at: string;
}

export interface DocumentedOutput {
  readonly idempotency_key: string;
  readonly work_item_id: string;
  /** The event that holds the result; null: it is in `output` and `state_patch`. */
  readonly event_sequence: number | null;
  readonly output: JsonValue;
  readonly state_patch: JsonObject | null;
  readonly created_at: string;
}

/** One line, without its end. */
export function encodeExecutionDocument(document: ExecutionDocument): string {
  return JSON.stringify(document);
}
