import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { NewEvent } from '../../store/commit.ts';

export const SCHEDULER_ACTOR = 'system:scheduler';

/** The event as it is stored. */
export function newEvent(event: ExecutionEvent, actorId: string): NewEvent {
  return {
    kind: event.kind,
    nodeId: event.nodeId,
    payload: JSON.stringify(event.payload),
    actorId,
  };
}
