import type { Entry, ExpressionScope, Plan, PlanNode } from '../workflow/plan/plan.ts';
import { contextOfVisit, entryOf } from './decisions/visit-entry.ts';
import { type ExecutionState, type LiveVisit, visitKey } from './state.ts';

export interface Reentered {
  readonly node: PlanNode;
  readonly visit: LiveVisit;
  readonly entry: Entry;
  readonly scope: ExpressionScope;
}

/** A live visit as it was entered, from its pinned scope; null when it is no longer live. */
export function reenter(params: {
  readonly plan: Plan;
  readonly state: ExecutionState;
  readonly nodeId: string;
  readonly visit: number;
}): Reentered | null {
  const { plan, state } = params;
  const live = state.live.get(visitKey(params.nodeId, params.visit));
  const node = plan.nodes.get(params.nodeId);
  if (live === undefined || node === undefined) return null;
  const seen = { plan, draft: state };
  const { scope } = contextOfVisit(seen, node, live);
  return { node, visit: live, entry: entryOf(seen, node, live), scope };
}
