import { createHash } from 'node:crypto';

import { canonicalJson } from '../canonical-json.ts';
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
  const inputHash = sha256(canonicalJson(params.input));
  return sha256(
    canonicalJson({
      execution_id: params.executionId,
      node_id: params.nodeId,
      visit: params.visit,
      input_hash: inputHash,
    }),
  );
}

export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY.test(text);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
