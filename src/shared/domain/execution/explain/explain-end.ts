import type { RecordedEvent } from '../event.ts';
import type { ExecutionState } from '../state.ts';
import type { UndoPayload } from '../undo/undo-state.ts';
import type { EndReason } from './blocker.ts';

/** Why an execution ended: its last event says so. */
export function explainEnd(state: ExecutionState, events: readonly RecordedEvent[]): EndReason {
  const last = events.findLast(({ kind }) => ENDS.has(kind));
  const { continuedAs } = state;
  const reason: EndReason = {
    message: `it is ${state.status}`,
    at: last?.createdAt ?? null,
    error: null,
    errorClass: null,
    nodeId: null,
    by: last?.actorId ?? null,
    continuedAs,
  };
  switch (last?.kind) {
    case 'WorkflowFailed': {
      const { error, error_class: errorClass, node_id: nodeId } = last.payload;
      return {
        ...reason,
        message: `it failed: ${error}${tellUndone(last.payload.undo)}`,
        error,
        errorClass,
        nodeId,
      };
    }
    case 'WorkflowCancelled': {
      const ending = findEnding(events);
      const told = last.payload.reason ?? ending?.payload.reason;
      const why = told === undefined ? '' : `: ${told}`;
      return {
        ...reason,
        message: `it was cancelled${why}${tellUndone(last.payload.undo)}`,
        by: ending?.actorId ?? last.actorId,
      };
    }
    case 'WorkflowCompleted':
      return {
        ...reason,
        message:
          continuedAs === null
            ? 'it completed: nothing was left to do'
            : `it continued as ${continuedAs}`,
      };
    default:
      return reason;
  }
}

/** Empty: no undo has run. */
function tellUndone(undo: UndoPayload | undefined): string {
  if (undo === undefined) return '';
  const { undone, not_undone: failed } = undo;
  const told = `; ${undone} ${undone === 1 ? 'step is' : 'steps are'} undone`;
  if (failed.length === 0) return told;
  return `${told}, and not ${failed.map(({ node_id: node, error }) => `${node}: ${error}`).join('; ')}`;
}

const ENDS: ReadonlySet<string> = new Set([
  'WorkflowCompleted',
  'WorkflowFailed',
  'WorkflowCancelled',
]);

/** If undos or finalizers ran first, actor and reason of the cancel are those of WorkflowEnding. */
function findEnding(events: readonly RecordedEvent[]) {
  return events.findLast((event) => event.kind === 'WorkflowEnding');
}
