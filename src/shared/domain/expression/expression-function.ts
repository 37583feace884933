import type { JsonValue } from '../json.ts';
import type { StepBudget } from './step-budget.ts';

/**
 * One function an expression can call. The receiver of a method is its first argument, and
 * `argsMin` and `argsMax` count it.
 */
export interface ExpressionFunction {
  readonly forms: readonly ('function' | 'method')[];
  readonly argsMin: number;
  readonly argsMax: number;
  readonly apply: (args: readonly JsonValue[], budget: StepBudget) => JsonValue;
}
