import type { HeldBudget } from '../../domain/budget/budget.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { usagesOfSteps } from '../../domain/execution/function-events.ts';
import type { UsagePayload } from '../../domain/execution/usage-payload.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { ModelUse } from '../../store/commit.ts';
import type { EngineDeps } from '../deps.ts';

/**
 * The budgets of an execution and of its ancestors, with the spent amounts. If there are any, the
 * engine reads them before every decision that may enter work, so a budget is exceeded at most by
 * the work in flight at that moment.
 */
export async function readBudgets(
  deps: EngineDeps,
  executionId: ExecutionId,
): Promise<readonly HeldBudget[]> {
  const rows = await deps.store.executions.usage(executionId);
  const held: HeldBudget[] = [];
  for (const { executionId: account, definitionId, inputTokens, outputTokens, costUsd } of rows) {
    const { plan } = await deps.definitions.get(definitionId);
    if (plan.budget === null) continue;
    held.push({
      account,
      budget: plan.budget,
      spent: { inputTokens, outputTokens, costUsd },
    });
  }
  return held;
}

/** The budgets, with the usage of facts that are about to be recorded. */
export function addUse(
  budgets: readonly HeldBudget[],
  facts: readonly ExecutionEvent[],
): readonly HeldBudget[] {
  const use = useOf(facts);
  if (use === undefined) return budgets;
  return budgets.map((held) => ({
    ...held,
    spent: {
      inputTokens: held.spent.inputTokens + use.inputTokens,
      outputTokens: held.spent.outputTokens + use.outputTokens,
      costUsd: held.spent.costUsd + use.costUsd,
    },
  }));
}

/** The part of a commit that counts the model usage of its events. */
export function chargeWith(events: readonly ExecutionEvent[]): { readonly charge?: ModelUse } {
  const charge = useOf(events);
  return charge === undefined ? {} : { charge };
}

/** The model usage of events; undefined: none. */
export function useOf(events: readonly ExecutionEvent[]): ModelUse | undefined {
  const uses = events.flatMap(usagesOf);
  if (uses.length === 0) return undefined;
  return {
    inputTokens: sum(uses.map((use) => use.input_tokens)),
    outputTokens: sum(uses.map((use) => use.output_tokens)),
    costUsd: sum(uses.map((use) => use.cost_usd ?? 0)),
  };
}

/** Without the usage of children, which the commits of their own events count. */
function usagesOf(event: ExecutionEvent): readonly UsagePayload[] {
  switch (event.kind) {
    case 'NodeCompleted':
    case 'NodeFailed':
    case 'NodeCancelled':
    case 'NodeParked':
      return event.payload.usage === undefined ? [] : [event.payload.usage];
    case 'StepRecorded':
      return usagesOfSteps(event.payload);
    default:
      return [];
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
