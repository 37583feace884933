import { draftOf, emptyState } from '../../../domain/execution/draft.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import { applyEvent, evolve } from '../../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import { encodeState } from '../../../domain/execution/state-codec.ts';
import { type KeySettings, noteKeys } from '../../../domain/execution/timeline/key-settings.ts';
import { trackVisit, type VisitTracks } from '../../../domain/execution/timeline/visit-track.ts';
import type { ExecutionRow, ExecutionStore } from '../../../store/store.ts';

/**
 * One execution's history, folded once and read on from where it ended. It keeps the state at every
 * so many events, so that the state at any sequence costs the fold of at most that many.
 */
export interface History {
  readonly tracks: VisitTracks;
  readonly settings: KeySettings;
  /** Reads the events that are new, up to `lastSequence`. */
  readOn(executions: Pick<ExecutionStore, 'events'>, lastSequence: number): Promise<void>;
  stateAt(
    executions: Pick<ExecutionStore, 'events'>,
    sequence: number,
  ): Promise<{ readonly state: ExecutionState; readonly event: RecordedEvent | null }>;
  /** About how much it holds in memory. */
  chars(): number;
}

/** Events in a page; a page is folded without a pause. */
const PAGE_EVENTS = 1_000;
/** The last state is a kept state, so the next reading folds no more than is new. */
const KEEP_EVERY = 4_000;

export function createHistory(row: ExecutionRow): History {
  const { executionId } = row;
  const tracks: VisitTracks = new Map();
  const settings: KeySettings = new Map();
  /** In the order of their sequences. */
  const kept: ExecutionState[] = [emptyState(row)];
  let last: ExecutionState = emptyState(row);
  let measured = { sequence: 0, chars: 0 };

  function fold(events: readonly RecordedEvent[]): void {
    const draft = draftOf(last);
    for (const event of events) {
      const before = draft.data;
      applyEvent(draft, event, { plan: null });
      noteKeys(settings, { event, before, after: draft.data });
      trackVisit(tracks, { event, state: draft });
    }
    last = draft;
    if (draft.sequence - (kept.at(-1)?.sequence ?? 0) >= KEEP_EVERY) kept.push(draft);
  }

  return {
    tracks,
    settings,
    async readOn(executions, lastSequence) {
      while (last.sequence < lastSequence) {
        const limit = Math.min(PAGE_EVENTS, lastSequence - last.sequence);
        const events = await executions.events({ executionId, after: last.sequence, limit });
        if (events.length === 0) return;
        fold(events);
      }
      if (last.sequence - measured.sequence > PAGE_EVENTS || measured.sequence === 0) {
        measured = { sequence: last.sequence, chars: encodeState(last).length };
      }
    },
    async stateAt(executions, sequence) {
      if (sequence === 0) return { state: emptyState(row), event: null };
      let state = kept.findLast((one) => one.sequence < sequence) ?? emptyState(row);
      let event: RecordedEvent | null = null;
      while (state.sequence < sequence) {
        const limit = Math.min(PAGE_EVENTS, sequence - state.sequence);
        const events = await executions.events({ executionId, after: state.sequence, limit });
        if (events.length === 0) break;
        state = evolve({ state, events, plan: null });
        event = events.at(-1) ?? event;
      }
      return { state, event };
    },
    chars: () => measured.chars + 400 * tracks.size,
  };
}
