import { findResultProblem } from './check-result.ts';
import { evaluate } from './evaluate-node.ts';
import type { EvaluationResult, Expression, ExpressionScope } from './expression.ts';
import { quoteExpression } from './quote-expression.ts';
import { EvaluationFailure, StepBudget } from './step-budget.ts';

export type { EvaluationResult, ExpressionScope } from './expression.ts';
export { isTruthy } from './values.ts';

const STEPS_MAX = 100_000;

/**
 * Evaluates a parsed expression. The same expression and scope always give the same answer: there
 * is no clock, no randomness, and the bound on work is counted, not timed.
 *
 * Fails, with the expression quoted, on an operation its operands do not have (`null > 3`), on a
 * number of 2^53 or more, and on too much work or too large a result.
 */
export function evaluateExpression(
  expression: Expression,
  scope: ExpressionScope,
): EvaluationResult {
  try {
    const value = evaluate(expression.root, { scope, budget: new StepBudget(STEPS_MAX) });
    // A path only points into the scope, which is JSON already and may be large.
    const problem = expression.root.kind === 'path' ? null : findResultProblem(value);
    return problem === null ? { ok: true, value } : refuse(expression, problem);
  } catch (error) {
    if (error instanceof EvaluationFailure) return refuse(expression, error.message);
    throw error;
  }
}

function refuse(expression: Expression, reason: string): EvaluationResult {
  return { ok: false, message: `${quoteExpression(expression.source)}: ${reason}` };
}
