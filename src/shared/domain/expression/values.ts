import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { StepBudget } from './step-budget.ts';
import { EvaluationFailure } from './step-budget.ts';

const COMPARE_DEPTH_MAX = 256;

/** A value is true unless it is null, false, 0, "", [] or {}. */
export function isTruthy(value: JsonValue): boolean {
  if (isList(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The kind of a value in the words of messages. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return `a ${typeof value}`;
}

/**
 * The value one step along a path, or `undefined` when there is none. Only own properties count,
 * so `constructor` and `__proto__` reach nothing but data of that name.
 */
export function member(target: JsonValue, key: JsonValue): JsonValue | undefined {
  if (isList(target)) {
    return typeof key === 'number' && Number.isInteger(key) ? target[key] : undefined;
  }
  if (!isJsonObject(target) || (typeof key !== 'string' && typeof key !== 'number'))
    return undefined;
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** Deep equality of JSON values; values of different kinds are unequal. */
export function equal(left: JsonValue, right: JsonValue, budget: StepBudget): boolean {
  return equalWithin(left, right, { budget, depth: COMPARE_DEPTH_MAX });
}

interface Bounds {
  readonly budget: StepBudget;
  /** Levels of nesting that are left. */
  readonly depth: number;
}

function equalWithin(left: JsonValue, right: JsonValue, bounds: Bounds): boolean {
  const { budget, depth } = bounds;
  budget.step();
  if (depth === 0) throw new EvaluationFailure('the values compared are nested too deeply');
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) budget.characters(left.length);
    return left === right;
  }
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  const inside = { budget, depth: depth - 1 };
  if (isList(left) && isList(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => equalWithin(item, right[index] ?? null, inside))
    );
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = Object.keys(left);
    const rightKeys = Object.keys(right);
    budget.keys(keys.length + rightKeys.length);
    return (
      keys.length === rightKeys.length &&
      keys.every(
        (key) =>
          Object.hasOwn(right, key) && equalWithin(left[key] ?? null, right[key] ?? null, inside),
      )
    );
  }
  return left === right;
}

/** Refuses numbers that may have been rounded (2^53 and beyond, either sign), and turns -0 into 0. */
export function checkedNumber(value: number): number {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value + 0;
  throw new EvaluationFailure('a number of 2^53 or more');
}
