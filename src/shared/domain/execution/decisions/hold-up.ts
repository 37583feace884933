import type { HeldBudget } from '../../budget/budget.ts';
import { hashJson } from '../../canonical-json.ts';
import type { JsonObject } from '../../json.ts';
import type { PlanNode } from '../../workflow/plan/plan.ts';
import { visitKey } from '../state.ts';
import { emit, type Turn } from '../turn.ts';
import { failVisit } from './fail-visit.ts';
import { moveFunctionTime } from './function-clock.ts';
import { budgetQuestion, budgetText, tellExceeded } from './judge-budget.ts';
import { startTimer } from './start-timer.ts';

/** Stops a live visit whose budget is used up: it fails, or a person is asked. */
export function holdUp(
  turn: Turn,
  of: {
    readonly node: PlanNode;
    readonly visit: number;
    readonly attempt: number;
    readonly held: HeldBudget;
  },
): void {
  const { node, visit, attempt, held } = of;
  tellExceeded(turn, { nodeId: node.id, visit }, held);
  if (held.budget.onExceeded === 'pause') {
    return askApproval(turn, { node, visit, question: budgetQuestion(held) });
  }
  const error = budgetText(held);
  failVisit(turn, { nodeId: node.id, visit, attempt, error, errorClass: 'budget_exceeded' });
}

/**
 * Asks a person about exactly the call that an approval releases; the hash of the shown call proves
 * it.
 */
export function askApproval(
  turn: Turn,
  of: {
    readonly node: PlanNode;
    readonly visit: number;
    readonly question: { readonly description: string; readonly shown: JsonObject };
  },
): void {
  const { node, visit } = of;
  const { description, shown } = of.question;
  const timeoutMs = node.approvalTimeoutMs;
  emit(turn, {
    kind: 'ApprovalRequested',
    nodeId: node.id,
    payload: {
      visit,
      description,
      timeout_ms: timeoutMs,
      shown,
      shown_hash: hashJson(shown),
    },
  });
  const asking = turn.draft.live.get(visitKey(node.id, visit));
  if (asking !== undefined) moveFunctionTime(turn, asking, 'hold_timer');
  if (timeoutMs === null) return;
  const about = { purpose: 'approval_timeout', nodeId: node.id, visit } as const;
  startTimer(turn, { about, when: { delayMs: timeoutMs } });
}
