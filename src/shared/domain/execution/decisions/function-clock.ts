import type { Plan, PlanNode } from '../../workflow/plan/plan.ts';
import { timerName } from '../effect.ts';
import type { LiveVisit } from '../state.ts';
import type { Turn } from '../turn.ts';

type Visit = Pick<LiveVisit, 'nodeId' | 'visit' | 'run'>;

/** The time limit of the function does not count the time in which it is suspended. */
export function stopsWhileSuspended({ kind, spec }: Pick<PlanNode, 'kind' | 'spec'>): boolean {
  return kind.countsSuspended?.(spec) === false;
}

/**
 * The timer of a function whose time counts only while it is queued or running; null: the visit has
 * no such timer, or it has fired. A commit that stops the function holds the timer, and one that
 * puts it back on its queue releases the timer. The store keeps the time that is left, so no clock
 * of a process is read.
 */
export function stoppableTimer(
  plan: Pick<Plan, 'nodes'>,
  { nodeId, visit, run }: Visit,
): string | null {
  if (run === null || !run.hasTimeout) return null;
  const node = plan.nodes.get(nodeId);
  if (node === undefined || !stopsWhileSuspended(node)) return null;
  return timerName({ purpose: 'function_timeout', nodeId, visit });
}

/** Stops the time of a function that stops, or lets it run again, unless its time counts always. */
export function moveFunctionTime(
  turn: Turn,
  of: Visit,
  move: 'hold_timer' | 'release_timer',
): void {
  const name = stoppableTimer(turn.plan, of);
  if (name !== null) turn.effects.push({ do: move, name });
}
