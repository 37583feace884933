import type { Plan, PlanNode } from '../../workflow/plan/plan.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import { childrenBeforeRollback, undosAwaitChildren } from '../undo/ending-children.ts';
import type { Blocker } from './blocker.ts';
import { blockerOf, type Scene } from './scene.ts';

/** Nodes that a token has reached and that wait for more tokens (see `start-arrivals.ts`). */
export function explainJoins({ state }: Scene, plan: Plan): readonly Blocker[] {
  const targets = targetsOf(state);
  return targets.flatMap((id) => {
    const node = plan.nodes.get(id);
    const present = new Set([...targets, ...liveNodes(state)]);
    const awaited = node === undefined ? [] : leadingTo(node, present, { state, plan });
    if (awaited.length === 0) return [];
    return blockerOf(
      { nodeId: id, visit: state.nextVisit.get(id) ?? 0 },
      {
        code: 'join_waiting_on',
        message: `node ${id} waits for ${awaited.join(', ')}, which may still lead there`,
        unblockedBy: `the end of ${awaited.join(', ')}`,
        details: { waitsFor: awaited },
      },
    );
  });
}

/** Whether the next decision would do something, estimated without deciding. */
export function isUndecided({ state }: Scene, plan: Plan): boolean {
  if (state.fatal !== null || state.workflowTimerFired) return true;
  const isHeld = (visit: LiveVisit) => childrenBeforeRollback(state, visit).length > 0;
  if (state.live.values().some((visit) => visit.signal !== null && !isHeld(visit))) return true;
  if (state.live.size === 0) return !undosAwaitChildren(plan, state);
  // If tokens wait only for each other, one of them starts its node.
  const live = liveNodes(state);
  return targetsOf(state).some((id) => {
    const node = plan.nodes.get(id);
    return node === undefined || leadingTo(node, live, { state, plan }).length === 0;
  });
}

function targetsOf({ arrivals }: ExecutionState): readonly string[] {
  return [...new Set(arrivals.map(({ to }) => to))];
}

/** Items of maps have no out-edges; their map has. */
function liveNodes({ live }: ExecutionState): ReadonlySet<string> {
  const nodes = new Set<string>();
  for (const visit of live.values()) if (visit.item === null) nodes.add(visit.nodeId);
  return nodes;
}

/** The nodes of `present` that may still lead to the waiting node. */
function leadingTo(
  node: PlanNode,
  present: ReadonlySet<string>,
  { state, plan }: { readonly state: ExecutionState; readonly plan: Plan },
): readonly string[] {
  const { waitFor, predecessors } = node;
  if (predecessors.length <= 1 && waitFor === null) return [];
  const others = [...present].filter((from) => from !== node.id);
  if (waitFor === null) return others.filter((from) => plan.reaches(from, node.id));
  const arrived = new Set(
    state.arrivals.filter(({ to }) => to === node.id).map(({ from }) => from),
  );
  const missing = waitFor.filter((awaited) => !arrived.has(awaited));
  return others.filter((from) =>
    missing.some((awaited) => from === awaited || plan.reaches(from, awaited)),
  );
}
