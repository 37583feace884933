import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { NewEvent } from '../../store/commit.ts';

/** The events that a reader folds on top of the last snapshot. */
export interface Tail {
  readonly events: number;
  /** Length of their payloads. */
  readonly chars: number;
  /** The same without the outputs in journals, of which a state keeps none. */
  readonly stateChars: number;
  /** Length of the snapshot; 0: none. */
  readonly snapshotChars: number;
}

/**
 * A snapshot is worth writing when a reader would otherwise fold this many events. The runtime
 * reads a waiting execution at every signal, but rarely an ended one, and its snapshot would store
 * input and state again.
 */
const EVENTS_MIN = { paused: 32, others: 256 };

export function emptyTail(snapshotChars: number): Tail {
  return { events: 0, chars: 0, stateChars: 0, snapshotChars };
}

export function addToTail(tail: Tail, events: readonly ExecutionEvent[]): Tail {
  if (events.length === 0) return tail;
  return addLengths(
    tail,
    events.map(({ kind, payload }) => ({ kind, length: JSON.stringify(payload).length })),
  );
}

/** The same for stored events. */
export function addStored(tail: Tail, events: readonly NewEvent[]): Tail {
  return addLengths(
    tail,
    events.map(({ kind, payload }) => ({ kind, length: payload.length })),
  );
}

/** A state keeps little more than the identity of an entry. */
const JOURNAL_CHARS_MAX = 128;

function addLengths(
  tail: Tail,
  events: readonly { readonly kind: ExecutionEvent['kind']; readonly length: number }[],
): Tail {
  let { chars, stateChars } = tail;
  for (const { kind, length } of events) {
    chars += length;
    stateChars += kind === 'StepRecorded' ? Math.min(length, JOURNAL_CHARS_MAX) : length;
  }
  return { ...tail, events: tail.events + events.length, chars, stateChars };
}

/**
 * Only when the tail is as long as the last snapshot. Otherwise a large state, such as the results
 * of a map over thousands of items, would be written again for every few events. So all snapshots
 * of an execution together are at most about twice as long as its history.
 */
export function isWorthSnapshot(tail: Tail, status: ExecutionStatus): boolean {
  const eventsMin = status === 'paused' ? EVENTS_MIN.paused : EVENTS_MIN.others;
  return tail.events >= eventsMin && tail.chars >= tail.snapshotChars;
}
