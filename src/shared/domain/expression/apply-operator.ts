import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { BinaryOperator } from './expression.ts';
import type { StepBudget } from './step-budget.ts';
import { EvaluationFailure } from './step-budget.ts';
import { checkedNumber, equal, isList, kindOf } from './values.ts';

interface Operation {
  readonly operator: BinaryOperator;
  readonly left: JsonValue;
  readonly right: JsonValue;
  readonly budget: StepBudget;
}

/**
 * Applies a binary operator. Numbers are JSON's, so `7 / 2` is 3.5. Kinds never convert into one
 * another: `"1" == 1` is false, and `"1" < 2` or `"a" + 1` fail.
 */
export function applyOperator({ operator, left, right, budget }: Operation): JsonValue {
  switch (operator) {
    case '==':
      return equal(left, right, budget);
    case '!=':
      return !equal(left, right, budget);
    case 'in':
      return isIn(left, right, budget);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare({ operator, left, right, budget });
    case '+':
      return add(left, right, budget);
    case '-':
    case '*':
    case '/':
    case '%':
      if (typeof left !== 'number' || typeof right !== 'number') fail(operator, left, right);
      return checkedNumber(calculate(operator, left, right));
  }
}

/** Nothing is in null, so that `"x" in state.tags` also works before there are tags. */
function isIn(item: JsonValue, container: JsonValue, budget: StepBudget): boolean {
  if (container === null) return false;
  if (isList(container)) return container.some((other) => equal(item, other, budget));
  if (isJsonObject(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  fail('in', item, container);
}

type Comparison = Operation & { readonly operator: '<' | '<=' | '>' | '>=' };

function compare({ operator, left, right, budget }: Comparison): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.characters(Math.min(left.length, right.length));
  } else if (typeof left !== 'number' || typeof right !== 'number') {
    fail(operator, left, right);
  }
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function add(left: JsonValue, right: JsonValue, budget: StepBudget): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return checkedNumber(left + right);
  if (typeof left === 'string' && typeof right === 'string') {
    budget.characters(left.length + right.length);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    budget.elements(left.length + right.length);
    return [...left, ...right];
  }
  fail('+', left, right);
}

function calculate(operator: '-' | '*' | '/' | '%', left: number, right: number): number {
  if ((operator === '/' || operator === '%') && right === 0) {
    throw new EvaluationFailure('division by zero');
  }
  switch (operator) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
  }
}

function fail(operator: BinaryOperator, left: JsonValue, right: JsonValue): never {
  throw new EvaluationFailure(`cannot apply ${operator} to ${kindOf(left)} and ${kindOf(right)}`);
}
