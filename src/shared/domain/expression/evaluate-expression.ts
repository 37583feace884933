import { findResultProblem } from './check-result.ts';
import { evaluate } from './evaluate-node.ts';
import type { EvaluationResult, Expression, ExpressionScope } from './expression.ts';
import { quoteExpression } from './quote-expression.ts';
import { EvaluationFailure, type Metered, StepBudget } from './step-budget.ts';

export type { EvaluationResult, ExpressionScope } from './expression.ts';
export { isTruthy } from './values.ts';

const STEPS_MAX = 100_000;
const STEPS_TOGETHER_MAX = 500_000;

/** For expressions that are evaluated one after the other: what all of them may take together. */
export function shareSteps(scope: Metered): StepBudget {
  return new StepBudget(STEPS_TOGETHER_MAX, scope);
}

export type { StepBudget } from './step-budget.ts';

/**
 * Evaluates a parsed expression. The same expression and scope always give the same answer: there
 * is no clock, no randomness, and the bound on work is counted, not timed.
 *
 * Fails, with the expression quoted, on an operation its operands do not have (`null > 3`), on a
 * number of 2^53 or more, and on too much work or too large a result. Others that are evaluated in
 * one go have `shared` in common (`shareSteps`).
 */
export function evaluateExpression(
  expression: Expression,
  scope: ExpressionScope,
  shared: StepBudget | null = null,
): EvaluationResult {
  try {
    const budget = new StepBudget(STEPS_MAX, scope, shared);
    const value = evaluate(expression.root, { scope, budget });
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
