import { evaluateExpression } from '../../expression/evaluate-expression.ts';
import type { Expression } from '../../expression/expression.ts';
import type { JsonObject } from '../../json.ts';
import type { FairShare } from '../../work/fair-queue.ts';
import { flowKeyOf, wrongValue } from './flow-key.ts';

/** Keys take turns when workers claim items. */
export interface Fairness {
  /** Items of executions with the same value share the turns of the key. */
  readonly key: Expression;
  readonly weight: number | Expression;
}

export const WEIGHT_MIN = 0.01;
export const WEIGHT_MAX = 100;

export type FoundShare =
  | { readonly ok: true; readonly share: FairShare }
  /** The message quotes the rule and never holds data. */
  | { readonly ok: false; readonly member: 'key' | 'weight'; readonly message: string };

export function shareOf({ key: expression, weight }: Fairness, input: JsonObject): FoundShare {
  const found = flowKeyOf(expression, input);
  if (!found.ok) return { ok: false, member: 'key', message: found.message };
  const { key } = found;
  if (typeof weight === 'number') return { ok: true, share: { key, weight } };
  const result = evaluateExpression(weight, { state: input, input, output: null, execution: {} });
  const failed = (message: string): FoundShare => ({ ok: false, member: 'weight', message });
  if (!result.ok) return failed(result.message);
  const { value } = result;
  if (typeof value !== 'number' || !isWeight(value)) {
    return failed(wrongValue(weight, value, WEIGHT_FORM));
  }
  return { ok: true, share: { key, weight: value } };
}

export function isWeight(value: number): boolean {
  return value >= WEIGHT_MIN && value <= WEIGHT_MAX;
}

const WEIGHT_FORM = `a number from ${WEIGHT_MIN} to ${WEIGHT_MAX}`;
export const WEIGHT_RULE = `must be ${WEIGHT_FORM}`;
