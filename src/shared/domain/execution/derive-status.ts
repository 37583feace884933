import { type ExecutionState, isPausedByOperator, type LiveVisit } from './state.ts';
import { type ExecutionStatus, isTerminal } from './status.ts';

/**
 * `paused` while somebody has paused the execution, and while its only live nodes wait for a person
 * or an external event. A timer, work under way, anything undecided and any finalizer keep an
 * execution `running`. A `map` visit counts by its items.
 */
export function deriveStatus(state: ExecutionState): ExecutionStatus {
  if (isTerminal(state.status)) return state.status;
  if (isPausedByOperator(state)) return 'paused';
  if (state.ending !== null) return 'running';
  if (state.arrivals.length > 0 || state.fatal !== null || state.workflowTimerFired) {
    return 'running';
  }
  let waiting = 0;
  for (const visit of state.live.values()) {
    if (visit.signal !== null) return 'running';
    switch (visit.phase) {
      case 'approval':
      case 'event':
      case 'either':
        waiting += 1;
        break;
      case 'suspended':
        if (!waitsForOutside(visit)) return 'running';
        waiting += 1;
        break;
      case 'map':
        break;
      case 'none':
      case 'work':
      case 'timer':
      case 'child':
        return 'running';
    }
  }
  return waiting > 0 ? 'paused' : 'running';
}

/** A function that a child works for, or that only a timer wakes, is not waiting for a person. */
function waitsForOutside({ run }: LiveVisit): boolean {
  const kinds = new Set(run?.waits.map(({ kind }) => kind));
  return !kinds.has('child') && (kinds.has('event') || kinds.has('approval'));
}
