import { type ExecutionState, isPausedByOperator } from './state.ts';
import { type ExecutionStatus, isTerminal } from './status.ts';

/**
 * `paused` while somebody has paused it, and while the only live nodes wait for a person or an external event; a pure timer, work
 * under way or anything undecided keeps an execution `running`, and so do finalizers, whatever they
 * wait for. A `map` visit counts by its items.
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
