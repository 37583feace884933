import { evaluateExpression } from '../../expression/evaluate-expression.ts';
import type { Expression } from '../../expression/expression.ts';
import { quoteExpression } from '../../expression/quote-expression.ts';
import { kindOf } from '../../expression/values.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { BeginningKind } from './rule-kinds.ts';

export const FLOW_KEY_LENGTH_MAX = 256;

export type FlowKey =
  | { readonly ok: true; readonly key: string }
  /** The message quotes the definition and never holds data. */
  | { readonly ok: false; readonly message: string };

const NO_KEY: FlowKey = { ok: true, key: '' };

/** The key that an input gives; the empty text if there is no expression. */
export function flowKeyOf(expression: Expression | null, input: JsonObject): FlowKey {
  if (expression === null) return NO_KEY;
  const result = evaluateExpression(expression, {
    state: input,
    input,
    output: null,
    execution: {},
  });
  if (!result.ok) return result;
  const { value } = result;
  if (value === null || typeof value === 'object') {
    return { ok: false, message: wrongValue(expression, value, 'text, a number or a boolean') };
  }
  const key = String(value);
  if (key.length > 0 && key.length <= FLOW_KEY_LENGTH_MAX) return { ok: true, key };
  const form = `1 to ${FLOW_KEY_LENGTH_MAX} characters`;
  return { ok: false, message: wrongValue(expression, value, form) };
}

/** Says what an expression over the input gives in place of what it must give, without the data. */
export function wrongValue(expression: Expression, value: JsonValue, form: string): string {
  return `${quoteExpression(expression.source)} must give ${form}, and gives ${nameValue(value)} for this input`;
}

function nameValue(value: JsonValue): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'string') {
    return value.length > FLOW_KEY_LENGTH_MAX ? `a text of ${value.length} characters` : 'text';
  }
  return typeof value === 'number' ? 'another number' : kindOf(value);
}

/** Names the places of a key of a workflow within its tenant. */
export function placeKeyOf(workflowId: string, key: string): string {
  return JSON.stringify([workflowId, key]);
}

/** How the names of all lines of a workflow begin. */
export function lineStart(workflowId: string): string {
  return `[${JSON.stringify(workflowId)},`;
}

/** Names the line of those that wait for a token of a rate, and perhaps for a place as well. */
export function lineKeyOf(workflowId: string, key: string, rateKey: string): string {
  return JSON.stringify([workflowId, key, rateKey]);
}

/** Names the line of those that wait whether another start of their key comes. */
export function debounceLineOf(workflowId: string, key: string): string {
  return JSON.stringify([workflowId, key, '', 'debounce']);
}

/** Names the line of those that gather in batches. */
export function batchLineOf(workflowId: string, key: string): string {
  return JSON.stringify([workflowId, key, '', 'batch']);
}

/**
 * The name of a line, or of places, under rules that starts bring: `given` are their kinds. It differs from all
 * names under definitions, so those who start executions move nobody who waits under a definition.
 */
export function nameForStarts(name: string, given: readonly BeginningKind[]): string {
  if (given.length === 0) return name;
  const [workflowId, key, rateKey = '', ...more] = JSON.parse(name) as readonly string[];
  return JSON.stringify([workflowId, key, rateKey, ...more, 'start', ...given]);
}

/** The workflow in the name of a line, or of places. */
export function workflowOfLine(line: string): string {
  const [workflowId = ''] = JSON.parse(line) as readonly string[];
  return workflowId;
}

/** The key of the rate in a name that `lineKeyOf` made. */
export function rateKeyInLine(line: string): string {
  const [, , key = ''] = JSON.parse(line) as readonly string[];
  return key;
}

/** The key in a name that `placeKeyOf`, `debounceLineOf` or `batchLineOf` made, and that of the places of `lineKeyOf`. */
export function keyInPlace(placeKey: string): string {
  const [, key = ''] = JSON.parse(placeKey) as readonly string[];
  return key;
}
