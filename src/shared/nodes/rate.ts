import type { Expression } from '../domain/expression/expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import type { QuotaRate } from '../domain/work/quota.ts';
import { parseDuration } from '../domain/workflow/parse/parse-duration.ts';
import type { ParseContext } from '../domain/workflow/plan/plan.ts';
import { pointerTo } from '../domain/workflow/problem.ts';
import { anyOf, object, text, wholeNumber } from '../domain/workflow/schema/fields.ts';
import { duration } from '../domain/workflow/schema/part-fields.ts';
import { readExpression } from './read-fields.ts';

/** How many calls of a tool go to workers in a time, over all executions of the tenant. */
export interface Rate extends Omit<QuotaRate, 'key'> {
  /** Null: one quota for all calls. */
  readonly key: Expression | null;
}

const LIMIT_MAX = 1_000_000;
const PER_MS_MIN = 1_000;
const PER_MS_MAX = 86_400_000;

export const RATE_FIELD = anyOf(
  'How many calls of this tool go to workers in a time, in all executions of the tenant.',
  [
    object(
      'One rate for each key.',
      {
        key: text('An expression over `input`, the input of the call. Default: one key.'),
        limit: wholeNumber('Calls in each `per`.', { minimum: 1, maximum: LIMIT_MAX }),
        per: duration('From one second to one day.'),
        burst: wholeNumber('The most calls at once, after a rest. Default: `limit`.', {
          minimum: 1,
          maximum: LIMIT_MAX,
        }),
      },
      ['limit', 'per'],
    ),
  ],
);

const KNOWN = new Set(['key', 'limit', 'per', 'burst']);

/** Null: left out, or reported. */
export function readRate(fields: JsonObject, at: ParseContext): Rate | null {
  const value = fields['rate'] ?? null;
  const pointer = pointerTo('rate');
  if (value === null) return null;
  if (!isJsonObject(value)) {
    at.problem(pointer, 'must be an object');
    return null;
  }
  for (const name of Object.keys(value)) {
    if (!KNOWN.has(name)) at.problem(pointer + pointerTo(name), 'is not known');
  }
  const limit = readCount(value['limit'] ?? null, `${pointer}/limit`, at);
  const given = value['burst'] ?? null;
  const burst = given === null ? limit : readCount(given, `${pointer}/burst`, at);
  const perMs = readPer(value['per'] ?? null, `${pointer}/per`, at);
  const key = value['key'] ?? null;
  if (key !== null && typeof key !== 'string') {
    at.problem(`${pointer}/key`, 'must be a string');
    return null;
  }
  const expression = key === null ? null : readExpression(key, `${pointer}/key`, at);
  if (limit === null || burst === null || perMs === null) return null;
  return key !== null && expression === null ? null : { key: expression, limit, perMs, burst };
}

function readCount(value: JsonValue, pointer: string, at: ParseContext): number | null {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LIMIT_MAX) {
    return value;
  }
  at.problem(pointer, `must be a whole number from 1 to ${LIMIT_MAX}`);
  return null;
}

function readPer(value: JsonValue, pointer: string, at: ParseContext): number | null {
  const ms = parseDuration(value);
  if (ms !== null && ms >= PER_MS_MIN && ms <= PER_MS_MAX) return ms;
  at.problem(pointer, 'must be a duration from "1s" to "1d"');
  return null;
}
