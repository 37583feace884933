import { type HeldBudget, isUsedUp } from '../../../domain/budget/budget.ts';
import {
  budgetText,
  exceededEvent,
  strictest,
  tellBudget,
} from '../../../domain/execution/decisions/judge-budget.ts';
import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import type { JournalEntry } from '../../../domain/execution/function-events.ts';
import { addUse, readBudgets } from '../../advance/budgets.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import type { OpenRun } from './change-run.ts';

/*
 * Budgets of an execution, judged while one of its functions works.
 *
 * Entries are facts: they are recorded and charged even if they use a budget up. The next step is
 * what a budget refuses, as it refuses the next node. The worker holds the lease, so the answer asks
 * it to stop. If it does not, the next turn is refused (`answer-functions.ts`, `answer-signals.ts`).
 * So a budget is exceeded at most by the work in flight, and by a worker that ignores the answer
 * until its turn ends.
 */

export interface JudgedUsage {
  /** BudgetExceeded of the budgets that these entries use up. */
  readonly events: readonly ExecutionEvent[];
  /** The budget that allows no further step; null: none. */
  readonly exceeded: ExceededBudget | null;
}

export interface ExceededBudget {
  /** `pause`: a person may grant the budget again. */
  readonly action: 'fail' | 'pause';
  readonly message: string;
  /** The account, the amounts spent and the limits. */
  readonly told: ReturnType<typeof tellBudget>;
}

const NOTHING: JudgedUsage = { events: [], exceeded: null };

/**
 * `recorded`: the events that are about to record the entries; none if they are recorded already. No
 * statement runs for entries without usage, or for an execution that no budget can limit.
 */
export async function judgeUsage(
  deps: UseCaseDeps,
  { known, turn }: OpenRun & { readonly turn: NonNullable<OpenRun['turn']> },
  of: {
    readonly entries: readonly JournalEntry[];
    readonly recorded: readonly ExecutionEvent[];
  },
): Promise<JudgedUsage> {
  const { row, compiled, state } = known;
  if (of.entries.every(({ usage }) => usage === undefined)) return NOTHING;
  if (compiled.plan.budget === null && row.parentExecutionId === null) return NOTHING;
  // Compensations run even if a budget is used up.
  if (turn.run.mode === 'rollback' || state.ending !== null) return NOTHING;
  const before = await readBudgets(deps, row.executionId);
  const isOver = (held: HeldBudget) => isUsedUp(held, state.budgetGrants[held.account] ?? 0);
  const after = addUse(before, of.recorded);
  const overBefore = new Set(before.filter(isOver).map(({ account }) => account));
  const over = after.filter(isOver);
  return {
    events: over.filter(({ account }) => !overBefore.has(account)).flatMap(tellNow),
    exceeded: exceededBudget(over),
  };

  function tellNow(held: HeldBudget): readonly ExecutionEvent[] {
    switch (held.budget.onExceeded) {
      case 'fail':
        return [exceededEvent(turn.visit, held)];
      case 'warn':
        return state.warned.includes(held.account) ? [] : [exceededEvent(null, held)];
      // Recorded with the question, when the turn ends.
      case 'pause':
        return [];
    }
  }
}

function exceededBudget(over: readonly HeldBudget[]): ExceededBudget | null {
  const held = strictest(over);
  if (held === null) return null;
  const action = held.budget.onExceeded === 'pause' ? 'pause' : 'fail';
  return { action, message: budgetText(held), told: tellBudget(held) };
}
