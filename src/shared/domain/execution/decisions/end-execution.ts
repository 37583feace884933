import { timerName } from '../effect.ts';
import { endingEvent, terminalEvent } from '../finalizers.ts';
import type { Failure } from '../state.ts';
import type { TerminalStatus } from '../status.ts';
import { nextUndo } from '../undo/due-undo.ts';
import { cancelVisit, emit, liveVisits, type Turn } from '../turn.ts';

/**
 * Ends the execution when nothing is live and no token is left: it is complete, or its finalizers
 * are done. False: it is not over yet.
 */
export function endExecution(turn: Turn): boolean {
  const { live, arrivals, ending } = turn.draft;
  if (live.size > 0 || arrivals.length > 0) return false;
  if (ending === null) endAs(turn, 'completed', null);
  else if (ending.outcome === 'completed' && ending.finalizerFailure !== null) {
    emit(turn, terminalEvent('failed', ending.finalizerFailure));
  } else emit(turn, terminalEvent(ending.outcome, ending.failure, turn.draft.undo));
  return true;
}

/** A failure without an error edge ends the execution and cancels its live visits. */
export function endOnFailure(turn: Turn): boolean {
  const { fatal, workflowTimerFired, ending } = turn.draft;
  if (ending !== null) return false;
  if (fatal !== null) failExecution(turn, fatal);
  else if (workflowTimerFired) {
    failExecution(turn, { nodeId: null, error: 'workflow timed out', errorClass: 'timeout' });
  } else return false;
  return true;
}

/** Does nothing to an execution that is ending: its outcome is recorded. */
export function failExecution(turn: Turn, failure: Failure): void {
  if (turn.draft.ending !== null) return;
  for (const visit of liveVisits(turn)) {
    if (visit.run?.mode !== 'rollback') cancelVisit(turn, visit, 'the execution failed');
  }
  endAs(turn, 'failed', failure);
}

function endAs(turn: Turn, outcome: TerminalStatus, failure: Failure | null): void {
  const comesFirst = turn.draft.live.size > 0 || nextUndo(turn.plan, turn.draft, outcome) !== null;
  emit(turn, endingEvent(turn.plan, { outcome, failure, comesFirst }));
  if (turn.draft.ending === null || turn.plan.workflowTimeoutMs === null) return;
  const about = { purpose: 'workflow_timeout', nodeId: null, visit: null } as const;
  turn.effects.push({ do: 'cancel_timer', name: timerName(about) });
}
