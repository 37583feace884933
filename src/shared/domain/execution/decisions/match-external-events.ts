import { resumeWork } from './enter-node.ts';
import { cancelVisitTimer, emit, liveVisits, type Turn } from '../turn.ts';

/**
 * Gives each waiting visit the oldest external event with its key; of several visits waiting for
 * the same key the one that waits longest is served first.
 */
export function matchExternalEvents(turn: Turn): boolean {
  if (turn.draft.mailbox.length === 0) return false;
  let matched = false;
  for (const visit of liveVisits(turn)) {
    if (visit.phase !== 'event' && visit.phase !== 'either') continue;
    const event = turn.draft.mailbox.find((entry) => entry.correlationKey === visit.correlationKey);
    if (event === undefined) continue;
    matched = true;
    // Only work that was parked remembers anything: it goes on, where a wait would end.
    if (visit.memory !== null) {
      resumeWork(turn, visit, { event_sequence: event.sequence, payload: event.payload });
      continue;
    }
    cancelVisitTimer(turn, visit);
    emit(turn, {
      kind: 'NodeCompleted',
      nodeId: visit.nodeId,
      payload: { visit: visit.visit, output: event.payload, event_sequence: event.sequence },
    });
  }
  return matched;
}
