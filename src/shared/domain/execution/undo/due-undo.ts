import type { Plan } from '../../workflow/plan/plan.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import type { TerminalStatus } from '../status.ts';
import type { Undoable } from './undo-state.ts';

/** The visit that an end of this outcome undoes next: of those that remain, the last to complete. */
export function nextUndo(
  plan: Plan,
  state: Pick<ExecutionState, 'undo'>,
  outcome: TerminalStatus,
): Undoable | null {
  return state.undo.pending.findLast(dueBy(plan, outcome)) ?? null;
}

/** The visits that an end of this outcome undoes and has not begun to undo, in order of completion. */
export function dueUndos(
  plan: Plan,
  { undo }: Pick<ExecutionState, 'undo'>,
  outcome: TerminalStatus,
): readonly Undoable[] {
  return undo.pending.filter(dueBy(plan, outcome));
}

/** An end as completed undoes nothing. */
function dueBy(plan: Plan, outcome: TerminalStatus): (one: Undoable) => boolean {
  if (outcome === 'completed') return () => false;
  return ({ nodeId }) => plan.undos.get(nodeId)?.on.includes(outcome) === true;
}

/** It waits for a person, so other undos run meanwhile. */
export function isSetAside({ undoes }: LiveVisit): boolean {
  return undoes !== undefined && undoes.error !== null;
}

/** Visits of undos that are dead letters, if no other undo can run; null: one can. */
export function onlyDeadUndos(plan: Plan, state: ExecutionState): readonly LiveVisit[] | null {
  const { ending, live } = state;
  if (ending === null || nextUndo(plan, state, ending.outcome) !== null) return null;
  const visits = [...live.values()];
  const areDead = visits.every((visit) => isSetAside(visit) && visit.phase === 'work');
  return visits.length > 0 && areDead ? visits : null;
}
