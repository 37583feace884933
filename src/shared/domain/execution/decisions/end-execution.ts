import type { Failure } from '../state.ts';
import { cancelVisit, emit, liveVisits, type Turn } from '../turn.ts';

/** Nothing is live and no token is left: the execution is complete. */
export function endExecution(turn: Turn): void {
  if (turn.draft.live.size > 0 || turn.draft.arrivals.length > 0) return;
  emit(turn, { kind: 'WorkflowCompleted', nodeId: null, payload: {} });
}

/** A failure that nothing leads on from ends the execution; what is live is cancelled with it. */
export function endOnFailure(turn: Turn): boolean {
  const { fatal, workflowTimerFired } = turn.draft;
  if (fatal !== null) failExecution(turn, fatal);
  else if (workflowTimerFired) {
    failExecution(turn, { nodeId: null, error: 'workflow timed out', errorClass: 'timeout' });
  } else return false;
  return true;
}

export function failExecution(turn: Turn, failure: Failure): void {
  for (const visit of liveVisits(turn)) {
    cancelVisit(turn, visit, 'the execution failed');
  }
  emit(turn, {
    kind: 'WorkflowFailed',
    nodeId: null,
    payload: {
      error: failure.error,
      error_class: failure.errorClass,
      node_id: failure.nodeId,
    },
  });
}
