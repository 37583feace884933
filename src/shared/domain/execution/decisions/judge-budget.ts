import { type HeldBudget, isUsedUp } from '../../budget/budget.ts';
import type { JsonObject } from '../../json.ts';
import type { ExecutionEvent } from '../event.ts';
import type { Turn } from '../turn.ts';
import { emit } from '../turn.ts';

/**
 * Judges the budgets: null when all have something left. If several are used up, the strictest
 * action applies. Records a warning here, once for each budget.
 */
export function judgeBudget(turn: Turn): HeldBudget | null {
  const { budgetGrants, ending } = turn.draft;
  // Finalizers clean up after an execution even if a budget ended it.
  if (ending !== null) return null;
  const usedUp = turn.budgets.filter((held) => isUsedUp(held, budgetGrants[held.account] ?? 0));
  const { warned } = turn.draft;
  for (const held of usedUp) {
    if (held.budget.onExceeded !== 'warn' || warned.includes(held.account)) continue;
    tellExceeded(turn, null, held);
  }
  return strictest(usedUp);
}

/** The budget to act on, of those that are used up; null: none stops work. */
export function strictest(usedUp: readonly HeldBudget[]): HeldBudget | null {
  return (
    usedUp.find(({ budget }) => budget.onExceeded === 'fail') ??
    usedUp.find(({ budget }) => budget.onExceeded === 'pause') ??
    null
  );
}

export function tellExceeded(turn: Turn, at: Place | null, held: HeldBudget): void {
  emit(turn, exceededEvent(at, held));
}

interface Place {
  readonly nodeId: string;
  readonly visit: number;
}

/** `at`: the visit that it stops; null: it stops none. */
export function exceededEvent(at: Place | null, held: HeldBudget): ExecutionEvent {
  return {
    kind: 'BudgetExceeded',
    nodeId: at?.nodeId ?? null,
    payload: {
      visit: at?.visit ?? null,
      ...tellBudget(held),
      action: held.budget.onExceeded,
    },
  };
}

/** The question for a person who may grant the budget again. */
export function budgetQuestion({ account, budget, spent }: HeldBudget): {
  readonly description: string;
  readonly shown: { readonly budget: JsonObject };
} {
  return {
    description: `${budgetText({ budget, spent })}: grant it again?`,
    shown: {
      budget: tellBudget({ account, budget, spent }),
    },
  };
}

export function tellBudget({ account, budget, spent }: HeldBudget) {
  const { input, output, total } = budget.tokens;
  const { inputTokens, outputTokens } = spent;
  return {
    account,
    tokens: inputTokens + outputTokens,
    token_budget: total,
    ...(input !== null && { input_tokens: inputTokens, input_token_budget: input }),
    ...(output !== null && { output_tokens: outputTokens, output_token_budget: output }),
    cost_usd: spent.costUsd,
    cost_budget_usd: budget.costUsd,
  };
}

export function budgetText({ budget, spent }: Pick<HeldBudget, 'budget' | 'spent'>): string {
  const { inputTokens, outputTokens } = spent;
  const { input, output, total } = budget.tokens;
  const parts = [
    ...(total === null ? [] : [`${inputTokens + outputTokens} of ${total} tokens`]),
    ...(input === null ? [] : [`${inputTokens} of ${input} input tokens`]),
    ...(output === null ? [] : [`${outputTokens} of ${output} output tokens`]),
    ...(budget.costUsd === null ? [] : [`$${spent.costUsd} of $${budget.costUsd}`]),
  ];
  return `the budget is used up (${parts.join(', ')})`;
}
