import type { JsonValue } from '../json.ts';
import type { Metered } from './step-budget.ts';

/**
 * A checked expression: plain data, so that it can be cached, compared and handed to another
 * thread. `source` is what the author wrote and what every message quotes.
 */
export interface Expression {
  readonly source: string;
  readonly root: ExpressionNode;
}

/** The only names an expression can refer to, beside those a comprehension binds. */
export const EXPRESSION_VARIABLES = ['state', 'output', 'input', 'execution'] as const;

export type ExpressionVariable = (typeof EXPRESSION_VARIABLES)[number];

/** The variables of an expression. `output` is that of the node that has just completed. */
export type ExpressionScope = ExpressionVariables & Metered;

export type ExpressionVariables = { readonly [name in ExpressionVariable]: JsonValue };

/** The outcome of an evaluation. `message` quotes the expression and never holds data. */
export type EvaluationResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

export type BinaryOperator =
  '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%';

export type Macro = 'all' | 'exists' | 'exists_one' | 'filter' | 'map';

export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
  | { readonly kind: 'variable'; readonly name: string }
  | PathNode
  | { readonly kind: 'has'; readonly path: PathNode }
  | { readonly kind: 'not'; readonly operand: ExpressionNode }
  | { readonly kind: 'negate'; readonly operand: ExpressionNode }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    }
  | {
      readonly kind: 'logical';
      readonly operator: '&&' | '||';
      readonly operands: readonly ExpressionNode[];
    }
  | {
      readonly kind: 'conditional';
      readonly condition: ExpressionNode;
      readonly whenTrue: ExpressionNode;
      readonly whenFalse: ExpressionNode;
    }
  | { readonly kind: 'list'; readonly items: readonly ExpressionNode[] }
  | {
      readonly kind: 'map';
      readonly entries: readonly (readonly [ExpressionNode, ExpressionNode])[];
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly ExpressionNode[] }
  | ComprehensionNode;

/** One step along a path: `target.key` and `target[key]` are the same. */
export interface PathNode {
  readonly kind: 'path';
  readonly target: ExpressionNode;
  readonly key: ExpressionNode;
}

/** `body` is the predicate, or for `map` the transformation; `filter` is `map`'s optional one. */
export interface ComprehensionNode {
  readonly kind: 'comprehension';
  readonly macro: Macro;
  readonly range: ExpressionNode;
  readonly variable: string;
  readonly filter: ExpressionNode | null;
  readonly body: ExpressionNode;
}
