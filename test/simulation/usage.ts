import type { BudgetOf } from '../invariants/checks/check-budgets.ts';
import type { Usage } from '../../src/shared/nodes/run.ts';
import type { UsagePayload } from '../../src/shared/domain/execution/usage-payload.ts';
import type { Dice } from './dice.ts';
import { WORKFLOWS } from './workflows.ts';

/** The usage of models that workers report: at random, for nodes that use models. */

const WITH_MODELS = new Set(['spend', 'spend_more', 'ask']);

/** Null: the node uses no model, or nothing is known. */
export function drawUsage(dice: Dice, nodeId: string): Usage | null {
  if (!WITH_MODELS.has(nodeId) || !dice.chance(0.8)) return null;
  return {
    inputTokens: dice.between(0, 15),
    outputTokens: dice.between(0, 15),
    // Quarters, because their sums are exact.
    costUsd: dice.chance(0.5) ? dice.between(0, 8) / 4 : null,
  };
}

/** The usage as an entry of a journal reports it. */
export function usageOfEntry(usage: Usage): UsagePayload {
  const { inputTokens, outputTokens, costUsd } = usage;
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

/** The budgets in the workflows. */
export const BUDGETS: Readonly<Record<string, BudgetOf>> = Object.fromEntries(
  Object.entries(WORKFLOWS).flatMap(([name, ir]) => {
    if (!('token_budget' in ir)) return [];
    const action = 'on_budget_exceeded' in ir ? ir.on_budget_exceeded : 'fail';
    return [[name, { tokens: ir.token_budget, action }]];
  }),
);
