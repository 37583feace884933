import type { RecordedEvent } from './event.ts';

/** The instant that a delayed execution begins at, by the events of its start; null: they do not say. */
export function beginsAt(events: readonly RecordedEvent[]): string | null {
  for (const { kind, payload, createdAt } of events) {
    if (kind !== 'TimerStarted' || payload.purpose !== 'start_after') continue;
    if ('until' in payload) return payload.until;
    return new Date(Date.parse(createdAt) + payload.delay_ms).toISOString();
  }
  return null;
}
