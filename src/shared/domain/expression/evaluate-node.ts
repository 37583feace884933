import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { applyOperator } from './apply-operator.ts';
import type {
  ComprehensionNode,
  ExpressionNode,
  ExpressionVariables,
  PathNode,
} from './expression.ts';
import { FUNCTIONS } from './functions.ts';
import type { StepBudget } from './step-budget.ts';
import { EvaluationFailure } from './step-budget.ts';
import { checkedNumber, isList, isTruthy, kindOf, member } from './values.ts';

/** The unchanging context of one evaluation. */
export interface Evaluation {
  readonly scope: ExpressionVariables;
  readonly budget: StepBudget;
}

/** The variables comprehensions have bound, innermost first. */
interface Bindings {
  readonly name: string;
  readonly value: JsonValue;
  readonly outer: Bindings | null;
}

/** Evaluates one node; the work it does is counted. The depth of the recursion is that of the expression, which is bounded. */
export function evaluate(
  node: ExpressionNode,
  evaluation: Evaluation,
  bindings: Bindings | null = null,
): JsonValue {
  evaluation.budget.step();
  const run = (inner: ExpressionNode) => evaluate(inner, evaluation, bindings);
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'variable':
      return lookUp(node.name, evaluation, bindings);
    case 'path':
      return followPath(node, run) ?? null;
    case 'has':
      return followPath(node.path, run) !== undefined;
    case 'not':
      return !evaluateCondition(node.operand, evaluation, bindings);
    case 'negate':
      return negate(run(node.operand));
    case 'binary':
      return applyOperator({
        operator: node.operator,
        left: run(node.left),
        right: run(node.right),
        budget: evaluation.budget,
      });
    case 'logical': {
      const stopsAt = node.operator === '||';
      return node.operands.some(
        (operand) => evaluateCondition(operand, evaluation, bindings) === stopsAt,
      )
        ? stopsAt
        : !stopsAt;
    }
    case 'conditional':
      return evaluateCondition(node.condition, evaluation, bindings)
        ? run(node.whenTrue)
        : run(node.whenFalse);
    case 'list':
      return node.items.map(run);
    case 'map':
      return Object.fromEntries(node.entries.map(([key, value]) => [mapKey(run(key)), run(value)]));
    case 'call':
      return call(node.name, node.args.map(run), evaluation.budget);
    case 'comprehension':
      return evaluateComprehension(node, evaluation, bindings);
  }
}

/** Evaluates a node as a condition: any value counts as true or false. */
function evaluateCondition(
  node: ExpressionNode,
  evaluation: Evaluation,
  bindings: Bindings | null,
): boolean {
  const value = evaluate(node, evaluation, bindings);
  if (isJsonObject(value)) evaluation.budget.keys(Object.keys(value).length);
  return isTruthy(value);
}

function lookUp(name: string, { scope }: Evaluation, bindings: Bindings | null): JsonValue {
  for (let binding = bindings; binding !== null; binding = binding.outer) {
    if (binding.name === name) return binding.value;
  }
  return member(scope, name) ?? null;
}

function followPath(
  node: PathNode,
  run: (node: ExpressionNode) => JsonValue,
): JsonValue | undefined {
  return member(run(node.target), run(node.key));
}

function negate(value: JsonValue): JsonValue {
  if (typeof value === 'number') return checkedNumber(-value);
  throw new EvaluationFailure(`cannot negate ${kindOf(value)}`);
}

/** Keys that would reach a prototype when the object is merged into state are refused there too. */
function mapKey(key: JsonValue): string {
  if (typeof key !== 'string') {
    throw new EvaluationFailure(`the key of an object must be a string, not ${kindOf(key)}`);
  }
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    throw new EvaluationFailure('the keys __proto__, constructor and prototype are not allowed');
  }
  return key;
}

function call(name: string, args: readonly JsonValue[], budget: StepBudget): JsonValue {
  const called = FUNCTIONS.get(name);
  if (called === undefined) throw new Error(`expression holds unknown function ${name}`);
  return called.apply(args, budget);
}

/** Evaluates `list.all(x, …)` and its kin. An object is gone through by its keys, as CEL says. */
function evaluateComprehension(
  node: ComprehensionNode,
  evaluation: Evaluation,
  outer: Bindings | null,
): JsonValue {
  const items = itemsOf(evaluate(node.range, evaluation, outer), node.macro, evaluation);
  const bind = (value: JsonValue): Bindings => ({ name: node.variable, value, outer });
  const holds = (value: JsonValue): boolean =>
    evaluateCondition(node.body, evaluation, bind(value));

  switch (node.macro) {
    case 'all':
      return items.every(holds);
    case 'exists':
      return items.some(holds);
    case 'exists_one':
      return items.filter(holds).length === 1;
    case 'filter':
      return items.filter(holds);
    case 'map': {
      const { filter } = node;
      const kept =
        filter === null
          ? items
          : items.filter((item) => evaluateCondition(filter, evaluation, bind(item)));
      return kept.map((item) => evaluate(node.body, evaluation, bind(item)));
    }
  }
}

function itemsOf(value: JsonValue, macro: string, { budget }: Evaluation): readonly JsonValue[] {
  if (isList(value)) return value;
  if (!isJsonObject(value)) throw new EvaluationFailure(`${macro}() called on ${kindOf(value)}`);
  const keys = Object.keys(value);
  budget.keys(keys.length);
  return keys;
}
