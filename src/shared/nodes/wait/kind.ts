import type { EvaluationResult } from '../../domain/expression/expression.ts';
import type { Mapping } from '../../domain/expression/mapping.ts';
import { evaluateMapping } from '../../domain/expression/mapping.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { parseDuration } from '../../domain/workflow/parse/parse-duration.ts';
import type { EnterContext, ParseContext, TimerSpec } from '../../domain/workflow/plan/plan.ts';
import { ref, word } from '../../domain/workflow/schema/fields.ts';
import { failExpression, failValue, type FailEntry } from '../fail-entry.ts';
import { parseInstant } from '../../domain/workflow/parse/parse-instant.ts';
import { readComputed, readMapping, readWord } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface WaitSpec {
  readonly condition: 'timer' | 'external_event' | 'either';
  readonly timer: WaitTimer | null;
  /** Null: the node's id. */
  readonly correlationKey: Mapping | null;
}

/** When the timer fires: known from the start, or worked out when the node is entered. */
type WaitTimer = TimerSpec | { readonly field: TimerField; readonly mapping: Mapping };
type TimerField = 'timeout_secs' | 'until';

const CONDITIONS = ['timer', 'external_event', 'either'] as const;
const KEY_BYTES_MAX = 512;
const DELAY_FORMS = 'seconds from 0, or text like "2s", "5m", "1h"';
const INSTANT_FORM = 'an ISO 8601 instant with offset, like "2030-01-31T09:00:00Z"';

/**
 * Parks until a timer fires, an external event arrives, or either. A timer beside `external_event`
 * is a limit: when it fires first, the wait fails with error class `timeout`. With `either` it is
 * one of two ways on, and the output `{timed_out: true}` tells which.
 */
export const waitKind: RunnableKind<WaitSpec> = {
  type: 'wait',
  aliases: [],
  fields: {
    condition: word('The condition of the wait.', CONDITIONS),
    correlation_key: ref('Mapping', 'The key of the event. Default: the id of the node.'),
    timeout_secs: ref('Computed', 'A duration, an expression, or a path that starts with $.'),
    until: ref('Computed', 'An ISO 8601 instant, an expression, or a path that starts with $.'),
  },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    const condition = readCondition(fields, at);
    const timer = readTimer(fields, at);
    const correlationKey = readMapping(fields, 'correlation_key', at);
    if (condition === null || timer === undefined) return null;
    if (condition !== 'external_event' && timer === null) {
      at.problem('/timeout_secs', `nothing to wait for: ${condition} needs timeout_secs or until`);
      return null;
    }
    return { condition, timer, correlationKey };
  },

  enter({ condition, timer, correlationKey }, context) {
    const when = timer === null ? null : evaluateTimer(timer, context);
    if (when !== null && 'do' in when) return when;
    const key = condition === 'timer' ? null : evaluateKey(correlationKey, context);
    if (key !== null && typeof key !== 'string') return key;
    const onTimeout = condition === 'external_event' ? 'fail' : 'complete';
    return { do: 'wait', timer: when, correlationKey: key, onTimeout };
  },
};

/** The given fields determine the condition, except that a time with a key is ambiguous. */
function readCondition(fields: JsonObject, at: ParseContext): WaitSpec['condition'] | null {
  if (isGiven(fields, 'condition'))
    return readWord(fields, { name: 'condition', words: CONDITIONS }, at);
  const isTimed = isGiven(fields, 'timeout_secs') || isGiven(fields, 'until');
  const isKeyed = isGiven(fields, 'correlation_key');
  if (isTimed !== isKeyed) return isTimed ? 'timer' : 'external_event';
  at.problem(
    '/condition',
    isTimed
      ? 'missing condition: external_event or either'
      : `nothing to wait for: missing condition, one of ${CONDITIONS.join(', ')}`,
  );
  return null;
}

function isGiven(fields: JsonObject, name: string): boolean {
  return (fields[name] ?? null) !== null;
}

/** `undefined`: reported. */
function readTimer(fields: JsonObject, at: ParseContext): WaitTimer | null | undefined {
  if (isGiven(fields, 'timeout_secs') && isGiven(fields, 'until')) {
    at.problem('/until', 'timeout_secs or until, not both');
    return undefined;
  }
  if (isGiven(fields, 'timeout_secs')) return readTimerField(fields, 'timeout_secs', at);
  return isGiven(fields, 'until') ? readTimerField(fields, 'until', at) : null;
}

function readTimerField(
  fields: JsonObject,
  field: TimerField,
  at: ParseContext,
): WaitTimer | undefined {
  const value = fields[field] ?? null;
  const fixed = fixTimer(field, value);
  if (fixed !== null) return fixed;
  // `2030-13-01` is also a sum.
  const isText = field === 'until' && typeof value === 'string' && /^\d/.test(value);
  const mapping = isText ? null : readComputed(fields, field, at);
  if (mapping !== null && mapping.kind !== 'literal') return { field, mapping };
  const literal = mapping === null ? null : fixTimer(field, mapping.value);
  if (literal !== null) return literal;
  if (isText || mapping !== null) at.problem(`/${field}`, `must be ${formOf(field)}`);
  return undefined;
}

function evaluateTimer(timer: WaitTimer, { scope }: EnterContext): TimerSpec | FailEntry {
  if (!('mapping' in timer)) return timer;
  const result: EvaluationResult = evaluateMapping(timer.mapping, scope);
  if (!result.ok) return failExpression(result.message);
  const fixed = fixTimer(timer.field, result.value);
  return fixed ?? failValue(`${timer.field} of a wait must be ${formOf(timer.field)}`);
}

function fixTimer(field: TimerField, value: JsonValue): TimerSpec | null {
  if (field === 'timeout_secs') {
    const delayMs = parseDuration(value);
    return delayMs === null ? null : { delayMs };
  }
  const until = typeof value === 'string' ? parseInstant(value) : null;
  return until === null ? null : { until };
}

function formOf(field: TimerField): string {
  return field === 'timeout_secs' ? DELAY_FORMS : INSTANT_FORM;
}

function evaluateKey(mapping: Mapping | null, { scope, node }: EnterContext): string | FailEntry {
  if (mapping === null) return node.id;
  const result = evaluateMapping(mapping, scope);
  if (!result.ok) return failExpression(result.message);
  const { value } = result;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= KEY_BYTES_MAX) {
    return value;
  }
  return failValue(`correlation_key of a wait must be text of 1 to ${KEY_BYTES_MAX} bytes`);
}
