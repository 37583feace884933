import { evaluateExpression } from '../domain/expression/evaluate-expression.ts';
import type { Expression } from '../domain/expression/expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { DEFAULT_QUEUE } from '../domain/work/claim-filter.ts';
import { QUOTA_KEY_MAX, quotaQueueName } from '../domain/work/quota.ts';
import type { ParseContext } from '../domain/workflow/plan/plan.ts';
import { pointerTo, reportUnknown } from '../domain/workflow/problem.ts';
import { anyOf, object, text, wholeNumber } from '../domain/workflow/schema/fields.ts';
import type { Rate } from './rate.ts';
import { readExpression } from './read-fields.ts';

/** How many calls of a tool may be with workers at a time, over all executions of the tenant. */
export interface Concurrency {
  /** Null: one quota for all calls. */
  readonly key: Expression | null;
  readonly limit: number;
}

const LIMIT_MAX = 100_000;

export const CONCURRENCY_FIELD = anyOf(
  'How many calls of this tool workers have at a time, in all executions of the tenant.',
  [
    object(
      'One limit for each key.',
      {
        key: text('An expression over `input`, the input of the call. Default: one key.'),
        limit: wholeNumber('The most calls at a time.', { minimum: 1, maximum: LIMIT_MAX }),
      },
      ['limit'],
    ),
  ],
);

const KNOWN = new Set(['key', 'limit']);

/** Null: left out, or reported. */
export function readConcurrency(fields: JsonObject, at: ParseContext): Concurrency | null {
  const value = fields['concurrency'] ?? null;
  const pointer = pointerTo('concurrency');
  if (value === null) return null;
  if (!isJsonObject(value)) {
    at.problem(pointer, 'must be an object');
    return null;
  }
  reportUnknown(value, KNOWN, (member, message) => at.problem(pointer + member, message));
  const limit = value['limit'] ?? null;
  const key = value['key'] ?? null;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    at.problem(`${pointer}/limit`, `must be a whole number from 1 to ${LIMIT_MAX}`);
    return null;
  }
  if (key === null) return { key, limit };
  if (typeof key !== 'string') {
    at.problem(`${pointer}/key`, 'must be a string');
    return null;
  }
  const expression = readExpression(key, `${pointer}/key`, at);
  return expression === null ? null : { key: expression, limit };
}

export type QueueOfCall =
  | { readonly ok: true; readonly name: string | null }
  | { readonly ok: false; readonly message: string };

/** The named queue that a call waits on; null: the default queue. */
export function queueOfCall(
  { tool, queueName, concurrency, rate }: CalledTool,
  input: JsonValue,
): QueueOfCall {
  if (concurrency === null && rate === null) return { ok: true, name: queueName };
  const key = evaluateKey(concurrency?.key ?? null, { input, of: 'concurrency' });
  if (key !== null && typeof key !== 'string') return key;
  const rateKey = evaluateKey(rate?.key ?? null, { input, of: 'rate' });
  if (rateKey !== null && typeof rateKey !== 'string') return rateKey;
  const name = quotaQueueName({
    queueName: queueName ?? DEFAULT_QUEUE,
    limit: concurrency?.limit ?? null,
    tool,
    key,
    rate: rate && { ...rate, key: rateKey },
  });
  if (name !== null) return { ok: true, name };
  const what = concurrency === null ? 'rate' : 'concurrency';
  return { ok: false, message: `${what}: the name of the tool and the key are too long` };
}

/** Whether calls of the tool wait for a place or a token. */
export function hasQuota({ concurrency, rate }: Pick<CalledTool, 'concurrency' | 'rate'>): boolean {
  return concurrency !== null || rate !== null;
}

export interface CalledTool {
  readonly tool: string;
  readonly queueName: string | null;
  readonly concurrency: Concurrency | null;
  readonly rate: Rate | null;
}

function evaluateKey(
  key: Expression | null,
  { input, of }: { readonly input: JsonValue; readonly of: 'concurrency' | 'rate' },
): string | null | { readonly ok: false; readonly message: string } {
  if (key === null) return null;
  const scope = { state: {}, output: null, input, execution: {} };
  const result = evaluateExpression(key, scope);
  if (!result.ok) return result;
  const { value } = result;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { ok: false, message: `${of}.key: must be a string, a number or a boolean` };
  }
  const text = String(value);
  return text === '' || text.length > QUOTA_KEY_MAX
    ? { ok: false, message: `${of}.key: must have 1 to ${QUOTA_KEY_MAX} characters` }
    : text;
}
