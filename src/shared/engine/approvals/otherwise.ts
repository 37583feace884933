import type { Plan } from '../../domain/workflow/plan/plan.ts';

/** `continue`: edges for failures lead on · `code`: the code of the function decides. */
export interface Otherwise {
  readonly is: 'fail' | 'continue' | 'code';
  readonly to: readonly string[];
}

/** The consequence of a rejection, and of the deadline. `step`: the wait of a durable function. */
export function otherwiseOf(plan: Plan, nodeId: string, step: string | null): Otherwise {
  if (step !== null) return { is: 'code', to: [] };
  const edges = plan.nodes.get(nodeId)?.edges ?? [];
  const to = edges.flatMap(({ on, to: target }) => (on === 'failure' ? target : []));
  return { is: to.length === 0 ? 'fail' : 'continue', to: [...new Set(to)] };
}
