import type { Expression } from '../../expression/expression.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type Concurrency, CONCURRENCY_MAX, WHEN_FULL } from '../flow/concurrency.ts';
import { type Findings, pointerTo } from '../problem.ts';

const FIELD = 'concurrency';

/** Null: there is none, or what is wrong has been reported. */
export function parseConcurrency(ir: JsonObject, { problems }: Findings): Concurrency | null {
  const raw = ir[FIELD] ?? null;
  if (raw === null) return null;
  if (!isJsonObject(raw)) {
    problems.add(pointerTo(FIELD), 'must be an object with limit');
    return null;
  }
  const { key: rawKey = null, limit = null, when_full: whenFull = null } = raw;
  const key = rawKey === null ? null : readKey(rawKey);
  if (key !== null && 'message' in key) problems.add(pointerTo(FIELD, 'key'), key.message);
  if (whenFull !== null && !WHEN_FULL.some((word) => word === whenFull)) {
    problems.add(pointerTo(FIELD, 'when_full'), `must be one of ${WHEN_FULL.join(', ')}`);
  }
  if (typeof limit === 'number' && Number.isInteger(limit) && isInRange(limit)) {
    return { key: key !== null && 'message' in key ? null : key, limit };
  }
  problems.add(pointerTo(FIELD, 'limit'), `must be a whole number from 1 to ${CONCURRENCY_MAX}`);
  return null;
}

function readKey(value: JsonValue): Expression | { readonly message: string } {
  if (typeof value !== 'string') return { message: 'must be an expression over the input' };
  const parsed = parseExpression(value);
  return parsed.ok ? parsed.expression : { message: parsed.message };
}

function isInRange(limit: number): boolean {
  return limit >= 1 && limit <= CONCURRENCY_MAX;
}
