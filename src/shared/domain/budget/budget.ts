import type { ExecutionId } from '../ids.ts';

/** Limit of the model usage of a workflow, including its children. */
export interface Budget {
  readonly tokens: TokenBudget;
  /** US dollars, of the calls whose price is known; null: no limit. */
  readonly costUsd: number | null;
  readonly onExceeded: BudgetAction;
}

/** Numbers of tokens; null: no limit. */
export interface TokenBudget {
  readonly input: number | null;
  readonly output: number | null;
  /** Input and output together. */
  readonly total: number | null;
}

/**
 * Once a budget is used up, further work · `fail`: fails · `pause`: waits for a person, whose
 * approval grants the budget again · `warn`: continues, with a warning in the log.
 */
export const BUDGET_ACTIONS = ['fail', 'pause', 'warn'] as const;
export type BudgetAction = (typeof BUDGET_ACTIONS)[number];

/** A budget that an execution is held to: its own, or that of one it is a descendant of. */
export interface HeldBudget {
  readonly account: ExecutionId;
  readonly budget: Budget;
  readonly spent: Spent;
}

export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** Whether nothing is left, with the budget granted `1 + grants` times. */
export function isUsedUp({ budget, spent }: HeldBudget, grants: number): boolean {
  const times = 1 + grants;
  const isReached = (used: number, limit: number | null) => limit !== null && used >= limit * times;
  const { inputTokens, outputTokens } = spent;
  return (
    isReached(inputTokens, budget.tokens.input) ||
    isReached(outputTokens, budget.tokens.output) ||
    isReached(inputTokens + outputTokens, budget.tokens.total) ||
    isReached(spent.costUsd, budget.costUsd)
  );
}
