import { draftOf, emptyState } from '../../../domain/execution/draft.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import { applyEvent } from '../../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import { encodeState } from '../../../domain/execution/state-codec.ts';
import { trackVisit, type VisitTracks } from '../../../domain/execution/timeline/visit-track.ts';
import type { ExecutionRow, ExecutionStore } from '../../../store/store.ts';

/** The visits of one execution, folded once and read on from where it ended. */
export interface History {
  readonly tracks: VisitTracks;
  /** Reads the events that are new, up to `lastSequence`. */
  readOn(executions: Pick<ExecutionStore, 'events'>, lastSequence: number): Promise<void>;
  /** About how much it holds in memory. */
  chars(): number;
}

/** Events in a page; a page is folded without a pause. */
const PAGE_EVENTS = 1_000;

export function createHistory(row: ExecutionRow): History {
  const { executionId } = row;
  const tracks: VisitTracks = new Map();
  let last: ExecutionState = emptyState(row);
  let measured = { sequence: 0, chars: 0 };

  function fold(events: readonly RecordedEvent[]): void {
    const draft = draftOf(last);
    for (const event of events) {
      applyEvent(draft, event, { plan: null });
      trackVisit(tracks, { event, state: draft });
    }
    last = draft;
  }

  return {
    tracks,
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
    chars: () => measured.chars + 400 * tracks.size,
  };
}
