import { hashJson } from '../canonical-json.ts';
import type { ExecutionId } from '../ids.ts';
import type { JsonValue } from '../json.ts';

const IDEMPOTENCY_KEY = /^[0-9a-f]{64}$/;

/** The key of one visit of a node: the same for every attempt, different for every visit and input. */
export function mintIdempotencyKey(params: {
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  readonly visit: number;
  readonly input: JsonValue;
}): string {
  return hashJson({
    execution_id: params.executionId,
    node_id: params.nodeId,
    visit: params.visit,
    input_hash: hashJson(params.input),
  });
}

export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY.test(text);
}
