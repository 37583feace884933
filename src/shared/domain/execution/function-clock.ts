import type { Plan } from '../workflow/plan/plan.ts';
import { timerName } from './effect.ts';
import type { LiveVisit } from './state.ts';

/**
 * The timer of a function whose time counts only while it is queued or running; null: the visit has
 * no such timer, or it has fired. A commit that stops the function holds the timer, and one that
 * puts it back on its queue releases the timer. The store keeps the time that is left, so no clock
 * of a process is read.
 */
export function stoppableTimer(
  plan: Pick<Plan, 'nodes'>,
  { nodeId, visit, run }: Pick<LiveVisit, 'nodeId' | 'visit' | 'run'>,
): string | null {
  if (run === null || !run.hasTimeout) return null;
  const node = plan.nodes.get(nodeId);
  if (node?.kind.countsSuspended?.(node.spec) !== false) return null;
  return timerName({ purpose: 'function_timeout', nodeId, visit });
}
