import type { JsonValue } from '../json.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import type { Draft } from './draft.ts';
import { mergePatch } from './merge-patch.ts';
import { type LiveVisit, visitKey } from './state.ts';

/**
 * Folds approvals that were accepted but not answered by a decision before the execution ended.
 * Their changes of the state count. An approval completes its `human_approval` node if the new
 * definition has the same node, so nobody is asked twice. Returns the completed nodes; the caller
 * evaluates their edges.
 */
export function settleAccepted(
  draft: Draft,
  { plan, newPlan }: { readonly plan: Plan; readonly newPlan: Plan },
): readonly { readonly nodeId: string; readonly output: JsonValue }[] {
  const completed: { readonly nodeId: string; readonly output: JsonValue }[] = [];
  for (const visit of draft.live.values().toArray()) {
    const { nodeId, signal, item } = visit;
    if (signal?.is !== 'approval' || signal.decision !== 'approved') continue;
    const { decision, userId, comment, statePatch } = signal;
    const isOver = !releasesWork(visit) && isSameNode(nodeId, plan, newPlan);
    const output = { decision, user_id: userId, comment };
    if (isOver && visit.outputKey !== null) {
      draft.data = { ...draft.data, [visit.outputKey]: output };
    }
    if (statePatch !== null) draft.data = mergePatch(draft.data, statePatch);
    if (!isOver) continue;
    draft.live.delete(visitKey(nodeId, visit.visit));
    if (item === null) completed.push({ nodeId, output });
    else recordDone(draft, item, output);
  }
  return completed;
}

/** Work of the visit waits for the approval. Else the visit itself asks, and a yes completes it. */
export function releasesWork({
  memory,
  nodeKind,
}: Pick<LiveVisit, 'memory' | 'nodeKind'>): boolean {
  return nodeKind !== 'human_approval' && (memory?.asked ?? null) !== null;
}

/** Whether both definitions ask people the same question. */
function isSameNode(nodeId: string, plan: Plan, newPlan: Plan): boolean {
  const [old, now] = [plan.nodes.get(nodeId), newPlan.nodes.get(nodeId)];
  if (old === undefined || now === undefined || old.kind.type !== now.kind.type) return false;
  const [before, after] = [old, now].map(({ spec, inputMapping }) =>
    JSON.stringify([spec, inputMapping]),
  );
  return old === now || before === after;
}

function recordDone(draft: Draft, item: NonNullable<LiveVisit['item']>, output: JsonValue): void {
  const key = visitKey(item.nodeId, item.visit);
  const map = draft.live.get(key);
  if (map === undefined || map.map === null) return;
  const results = new Map(map.map.results).set(item.index, { ok: true, output });
  draft.live.set(key, { ...map, map: { ...map.map, results } });
}
