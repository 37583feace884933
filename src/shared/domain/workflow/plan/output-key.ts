import type { Plan, PlanNode } from './plan.ts';

/**
 * The state key under which a workflow's output is: the `output_key` of its last node, where every
 * node that may be the last has the same one. Null: its output is its final state.
 */
export function outputKeyOf(plan: Plan): string | null {
  const atEnd = [...plan.finalizers, ...plan.undos.values()];
  const finalizers = new Set(atEnd.map(({ nodeId }) => nodeId));
  const keys = new Set<string | null>();
  for (const node of plan.nodes.values()) {
    if (mayBeLast(node, plan) && !finalizers.has(node.id)) keys.add(node.outputKey);
  }
  const [key = null] = keys;
  return keys.size === 1 ? key : null;
}

/** Whether the execution may end with its success. */
function mayBeLast({ reachable, bodyOf, edges }: PlanNode, { nodes }: Plan): boolean {
  if (!reachable || bodyOf !== null) return false;
  const onward = edges.filter(({ on }) => on !== 'failure');
  // Conditions may all be false.
  const isLedOn = onward.some(({ on, condition }) => on === 'choice' || condition === null);
  return !isLedOn || onward.some(({ to }) => !nodes.has(to));
}
