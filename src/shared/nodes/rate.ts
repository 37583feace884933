import type { Expression } from '../domain/expression/expression.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import type { QuotaRate } from '../domain/work/quota.ts';
import { parsePace, RATE_LIMIT_MAX } from '../domain/workflow/flow/rate.ts';
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

export const RATE_FIELD = anyOf(
  'How many calls of this tool go to workers in a time, in all executions of the tenant.',
  [
    object(
      'One rate for each key.',
      {
        key: text('An expression over `input`, the input of the call. Default: one key.'),
        limit: wholeNumber('Calls in each `per`.', { minimum: 1, maximum: RATE_LIMIT_MAX }),
        per: duration('From one second to one day.'),
        burst: wholeNumber('The most calls at once, after a rest. Default: `limit`.', {
          minimum: 1,
          maximum: RATE_LIMIT_MAX,
        }),
      },
      ['limit', 'per'],
    ),
  ],
);

/** Null: left out, or reported. */
export function readRate(fields: JsonObject, at: ParseContext): Rate | null {
  const value = fields['rate'] ?? null;
  if (value === null) return null;
  const pointer = pointerTo('rate');
  const pace = parsePace(value, (within, message) => at.problem(pointer + within, message));
  const key = isJsonObject(value) ? (value['key'] ?? null) : null;
  if (key !== null && typeof key !== 'string') {
    at.problem(`${pointer}/key`, 'must be a string');
    return null;
  }
  const expression = key === null ? null : readExpression(key, `${pointer}/key`, at);
  return pace === null || (key !== null && expression === null)
    ? null
    : { key: expression, ...pace };
}
