import type { Plan } from '../../workflow/plan/plan.ts';
import type { CarriedJournalPayload } from '../function-events.ts';
import { type ExecutionState, visitKey } from '../state.ts';
import type { RetryNotes } from './retry-notes.ts';

/**
 * The journals of functions that were under way: a retry continues after their last entry. A visit
 * that was rolled back starts again from the beginning. So does a node that now names another
 * function.
 */
export function carryJournals(of: {
  readonly draft: ExecutionState;
  readonly notes: RetryNotes;
  readonly plan: Plan;
  readonly newPlan: Plan;
}): readonly CarriedJournalPayload[] {
  const { draft, notes } = of;
  const before = Object.entries(draft.carriedJournals).map(([key, entries]) => ({
    ...placeOf(key),
    entries,
  }));
  const underWay = draft.live.values().flatMap(({ nodeId, visit, run }) => {
    const key = visitKey(nodeId, visit);
    const isKept = run !== null && run.recorded.size > 0 && isSameFunction(of, nodeId);
    if (!isKept || notes.rolledBack.has(key)) return [];
    return [{ ...placeOf(key), entries: notes.journals.get(key) ?? [] }];
  });
  return [...before, ...underWay];
}

/** Whether the node runs the same function in both definitions. */
export function isSameFunction(
  { plan, newPlan }: { readonly plan: Plan; readonly newPlan: Plan },
  nodeId: string,
): boolean {
  return functionOf(plan, nodeId) === functionOf(newPlan, nodeId);
}

function functionOf({ nodes }: Plan, nodeId: string): string | null {
  const node = nodes.get(nodeId);
  return node?.kind.type === 'function' ? (node.kind.tool?.(node.spec) ?? null) : null;
}

export function placeOf(key: string): { readonly node_id: string; readonly visit: number } {
  const at = key.lastIndexOf('#');
  return { node_id: key.slice(0, at), visit: Number(key.slice(at + 1)) };
}
