import type { JsonObject, JsonValue } from '../domain/json.ts';

/**
 * The part of an in-engine kind that touches the outside world. Called by a scheduler that holds
 * the item's lease; its outcome is settled like any worker's.
 */
export interface NodeRunner {
  run(call: NodeCall): Promise<NodeOutcome>;
}

export interface NodeCall {
  readonly spec: unknown;
  readonly input: JsonValue;
  readonly payload: JsonObject;
  readonly attempt: number;
  /** To be passed on to whatever is called, so that a repeated call can be told from a new one. */
  readonly idempotencyKey: string;
  /** Aborted when the lease is lost or the process shuts down. */
  readonly signal: AbortSignal;
}

export type NodeOutcome =
  | { readonly ok: true; readonly output: JsonValue; readonly statePatch: JsonObject }
  | { readonly ok: false; readonly error: string; readonly errorClass: string };

/** Runners by kind type. */
export type NodeRunners = ReadonlyMap<string, NodeRunner>;
