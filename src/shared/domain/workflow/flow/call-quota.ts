import { evaluateExpression } from '../../expression/evaluate-expression.ts';
import type { Expression } from '../../expression/expression.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { DEFAULT_QUEUE, ENGINE_QUEUE } from '../../work/queue-key.ts';
import { QUOTA_KEY_MAX, type QuotaRate, quotaQueueName } from '../../work/quota.ts';
import { pathsInExpression } from '../lint/paths-in-expression.ts';
import { pointerTo, reportUnknown, type WarningCode } from '../problem.ts';
import { anyOf, type FieldSchemas, object, text, wholeNumber } from '../schema/fields.ts';
import { duration } from '../schema/part-fields.ts';
import { wrongValue } from './flow-key.ts';
import { parsePace, RATE_LIMIT_MAX } from './rate.ts';

/** The limits for the calls of a tool or a model, over all executions of the tenant. */
export interface CallQuota {
  readonly concurrency: Concurrency | null;
  readonly rate: Rate | null;
}

/** How many calls may be under way at a time. */
interface Concurrency {
  /** Null: one quota for all calls. */
  readonly key: Expression | null;
  readonly limit: number;
}

/** How many calls begin in a time. */
interface Rate extends Omit<QuotaRate, 'key'> {
  /** Null: one quota for all calls. */
  readonly key: Expression | null;
}

const LIMIT_MAX = 100_000;

/** `what`: the thing that is called. */
export function quotaFields(what = 'this tool'): FieldSchemas {
  const key = text('An expression over `input`, the input of the call. Default: one key.');
  const count = { minimum: 1, maximum: RATE_LIMIT_MAX };
  return {
    concurrency: anyOf(
      `How many calls of ${what} are under way at a time, in all executions of the tenant.`,
      [
        object(
          'One limit for each key.',
          {
            key,
            limit: wholeNumber('The most calls at a time.', { minimum: 1, maximum: LIMIT_MAX }),
          },
          ['limit'],
        ),
      ],
    ),
    rate: anyOf(`How many calls of ${what} begin in a time, in all executions of the tenant.`, [
      object(
        'One rate for each key.',
        {
          key,
          limit: wholeNumber('Calls in each `per`.', count),
          per: duration('From one second to one day.'),
          burst: wholeNumber('The most calls at once, after a rest. Default: `limit`.', count),
        },
        ['limit', 'per'],
      ),
    ]),
  };
}

/** The object with the fields: pointers are below it. */
interface Place {
  problem(pointer: string, message: string): void;
  warn(code: WarningCode, pointer: string, message: string): void;
}

/** A limit is null if it is left out, or reported. */
export function readCallQuota(fields: JsonObject, at: Place): CallQuota {
  return { concurrency: readConcurrency(fields, at), rate: readRate(fields, at) };
}

const KNOWN = new Set(['key', 'limit']);

function readConcurrency(fields: JsonObject, at: Place): Concurrency | null {
  const value = fields['concurrency'] ?? null;
  const pointer = pointerTo('concurrency');
  if (value === null) return null;
  if (!isJsonObject(value)) {
    at.problem(pointer, 'must be an object');
    return null;
  }
  reportUnknown(value, KNOWN, (member, message) => at.problem(pointer + member, message));
  const limit = value['limit'] ?? null;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    at.problem(`${pointer}/limit`, `must be a whole number from 1 to ${LIMIT_MAX}`);
    return null;
  }
  const key = readKey(value, pointer, at);
  return key === undefined ? null : { key, limit };
}

function readRate(fields: JsonObject, at: Place): Rate | null {
  const value = fields['rate'] ?? null;
  if (value === null) return null;
  const pointer = pointerTo('rate');
  const pace = parsePace(value, (within, message) => at.problem(pointer + within, message));
  const key = isJsonObject(value) ? readKey(value, pointer, at) : null;
  return pace === null || key === undefined ? null : { key, ...pace };
}

/** Null: one key. Undefined: reported. */
function readKey(fields: JsonObject, within: string, at: Place): Expression | null | undefined {
  const key = fields['key'] ?? null;
  const pointer = `${within}/key`;
  if (key === null) return null;
  if (typeof key !== 'string') {
    at.problem(pointer, 'must be a string');
    return undefined;
  }
  const parsed = parseExpression(key);
  if (!parsed.ok) {
    at.problem(pointer, parsed.message);
    return undefined;
  }
  const unseen = pathsInExpression(parsed.expression).find(({ variable }) => variable !== 'input');
  if (unseen !== undefined) {
    const message = `reads ${unseen.variable}: a key sees only input, the input of the call`;
    at.warn('unknown_state_path', pointer, message);
  }
  return parsed.expression;
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

/** The same for a call that the engine makes itself. */
export function queueOfEngineCall(
  call: Omit<CalledTool, 'queueName'>,
  input: JsonValue,
): QueueOfCall {
  return hasQuota(call) ? queueOfCall({ ...call, queueName: ENGINE_QUEUE }, input) : NO_NAME;
}

const NO_NAME: QueueOfCall = { ok: true, name: null };

/** Whether calls wait for a place or a token. */
export function hasQuota({ concurrency, rate }: CallQuota): boolean {
  return concurrency !== null || rate !== null;
}

export interface CalledTool extends CallQuota {
  /** As the limits name it. */
  readonly tool: string;
  /** The named queue of a call without limits; null: the default queue. */
  readonly queueName: string | null;
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
    return refuseKey(of, wrongValue(key, value, 'text, a number or a boolean'));
  }
  const text = String(value);
  return text === '' || text.length > QUOTA_KEY_MAX
    ? refuseKey(of, wrongValue(key, value, `1 to ${QUOTA_KEY_MAX} characters`))
    : text;
}

/** The key sees the input that the node makes for its call, and often a member is missing there. */
function refuseKey(of: string, reason: string): { readonly ok: false; readonly message: string } {
  const advice = 'give the call that input by input_mapping, or change the key';
  return { ok: false, message: `${of}.key: ${reason}: ${advice}` };
}
