import type { ExecutionId } from '../ids.ts';

/** What the models of a workflow may use, its children included. */
export interface Budget {
  /** Input and output together; null: no limit. */
  readonly tokens: number | null;
  /** US dollars, of the calls whose price is known; null: no limit. */
  readonly costUsd: number | null;
  readonly onExceeded: BudgetAction;
}

/**
 * Once a budget is used up, further work · `fail`: fails · `pause`: waits for a person, whose
 * approval grants the budget once more · `warn`: goes on, and the log says so.
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
  readonly tokens: number;
  readonly costUsd: number;
}

/** Whether nothing is left, with the budget granted `1 + grants` times. */
export function isUsedUp({ budget, spent }: HeldBudget, grants: number): boolean {
  const times = 1 + grants;
  return (
    (budget.tokens !== null && spent.tokens >= budget.tokens * times) ||
    (budget.costUsd !== null && spent.costUsd >= budget.costUsd * times)
  );
}
