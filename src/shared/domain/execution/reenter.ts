import type { WorkItemId } from '../ids.ts';
import type { Entry, Plan } from '../workflow/plan.ts';
import { entryOf } from './decisions/enter-node.ts';
import { draftOf } from './draft.ts';
import { type ExecutionState, visitKey } from './state.ts';

/** What entering a live visit's node gave, from its pinned scope; null when it is no longer live. */
export function reenter(params: {
  readonly plan: Plan;
  readonly state: ExecutionState;
  readonly nodeId: string;
  readonly visit: number;
}): Entry | null {
  const { plan, state } = params;
  const live = state.live.get(visitKey(params.nodeId, params.visit));
  const node = plan.nodes.get(params.nodeId);
  if (live === undefined || node === undefined) return null;
  const turn = {
    plan,
    draft: draftOf(state),
    events: [],
    effects: [],
    budget: 0,
    newWorkItemId: (): WorkItemId => {
      throw new Error('entering a node again creates no work');
    },
  };
  return entryOf(turn, node, live);
}
