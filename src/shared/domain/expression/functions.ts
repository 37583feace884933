import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { ExpressionFunction } from './expression-function.ts';
import type { StepBudget } from './step-budget.ts';
import { EvaluationFailure } from './step-budget.ts';
import { STRING_FUNCTIONS, codePointCount } from './string-functions.ts';
import { checkedNumber, isList, kindOf } from './values.ts';

/** Every function by name. A map, because an object would also answer for `constructor`. */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map<
  string,
  ExpressionFunction
>([
  ['size', { forms: ['function', 'method'], argsMin: 1, argsMax: 1, apply: size }],
  ['string', conversion(toText)],
  ['int', conversion(toInteger)],
  ['double', conversion(toNumber)],
  ['bool', conversion(toBoolean)],
  ...STRING_FUNCTIONS,
]);

function conversion(convert: (value: JsonValue) => JsonValue): ExpressionFunction {
  return {
    forms: ['function'],
    argsMin: 1,
    argsMax: 1,
    apply: ([value = null], budget) => {
      if (typeof value === 'string') budget.characters(value.length);
      return convert(value);
    },
  };
}

function size([value = null]: readonly JsonValue[], budget: StepBudget): JsonValue {
  if (typeof value === 'string') {
    budget.characters(value.length);
    return codePointCount(value);
  }
  if (isList(value)) return value.length;
  if (isJsonObject(value)) {
    const count = Object.keys(value).length;
    budget.keys(count);
    return count;
  }
  throw new EvaluationFailure(`size() of ${kindOf(value)}`);
}

function toText(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new EvaluationFailure(`string() of ${kindOf(value)}`);
}

function toInteger(value: JsonValue): JsonValue {
  if (typeof value === 'number') return checkedNumber(Math.trunc(value));
  if (typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value)) {
    return checkedNumber(Number(value));
  }
  throw new EvaluationFailure(`int() of ${kindOf(value)} that is no integer`);
}

function toNumber(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^[+-]?\d{1,32}(\.\d{1,32})?([eE][+-]?\d{1,3})?$/.test(value)) {
    return checkedNumber(Number(value));
  }
  throw new EvaluationFailure(`double() of ${kindOf(value)} that is no number`);
}

function toBoolean(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new EvaluationFailure(`bool() of ${kindOf(value)} that is neither "true" nor "false"`);
}
