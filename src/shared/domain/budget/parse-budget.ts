import type { JsonObject } from '../json.ts';
import type { ProblemList } from '../workflow/problem.ts';
import { type Budget, BUDGET_ACTIONS } from './budget.ts';

/** Reads `token_budget`, `cost_budget_usd` and `on_budget_exceeded`; null: no budget. */
export function parseBudget(ir: JsonObject, problems: ProblemList): Budget | null {
  const tokens = ir['token_budget'] ?? null;
  const costUsd = ir['cost_budget_usd'] ?? null;
  const action = ir['on_budget_exceeded'] ?? 'fail';
  const isCount = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0;
  if (tokens !== null && !isCount) {
    problems.add('/token_budget', 'must be a whole number above 0');
  }
  const isAmount = typeof costUsd === 'number' && costUsd > 0;
  if (costUsd !== null && !isAmount) {
    problems.add('/cost_budget_usd', 'must be a number of US dollars above 0');
  }
  const onExceeded = BUDGET_ACTIONS.find((known) => known === action);
  if (onExceeded === undefined) {
    problems.add('/on_budget_exceeded', `must be one of ${BUDGET_ACTIONS.join(', ')}`);
    return null;
  }
  if (tokens === null && costUsd === null) return null;
  return { tokens: isCount ? tokens : null, costUsd: isAmount ? costUsd : null, onExceeded };
}
