import type { NodeResumedPayload } from '../event-payloads.ts';
import type { LiveVisit } from '../state.ts';
import { resumeWork } from './enter-work.ts';
import { cancelVisitTimer, emit, liveVisits, type Turn } from '../turn.ts';

/**
 * Gives each waiting visit the oldest external event with its key. If several visits wait for the
 * same key, the one that has waited longest comes first.
 */
export function matchExternalEvents(turn: Turn): boolean {
  if (turn.draft.mailbox.length === 0) return false;
  let matched = false;
  for (const visit of liveVisits(turn)) {
    if (visit.phase !== 'event' && visit.phase !== 'either') continue;
    const event = oldestFor(turn, visit);
    if (event === undefined) continue;
    matched = true;
    // Only parked work has a memory. Parked work continues, while a `wait` node ends.
    if (visit.memory !== null) {
      resumeWork(turn, visit, eventFor(turn, visit));
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

/** Resumes parked work with this payload, also after a budget that held it up was granted. */
export function eventFor(
  turn: Turn,
  visit: LiveVisit,
): Pick<NodeResumedPayload, 'event_sequence' | 'payload'> {
  const event = oldestFor(turn, visit);
  return event === undefined ? {} : { event_sequence: event.sequence, payload: event.payload };
}

function oldestFor({ draft }: Turn, { correlationKey }: LiveVisit) {
  return draft.mailbox.find((entry) => entry.correlationKey === correlationKey);
}
