import { draftOf, emptyState } from '../../../domain/execution/draft.ts';
import { SvcError } from '../../../domain/errors.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import { applyEvent } from '../../../domain/execution/evolve.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import { type KeySettings, noteKeys } from '../../../domain/execution/timeline/key-settings.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import type { ExecutionRow, Store } from '../../../store/store.ts';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint-text.ts';

/*
 * The state of an execution after any of its events, at a bounded cost. The first reader of a long
 * history folds it and keeps checkpoints; later readers, of any process, fold from the last one
 * before their event.
 *
 * A checkpoint is kept only when the events since the last one are as long as it is. So all
 * checkpoints of an execution together are at most as long as its history, and the fold of a few
 * more events costs no more than reading the state itself.
 */

export interface FoldedState {
  readonly state: ExecutionState;
  readonly settings: KeySettings;
  /** The last event; null: none was read. */
  readonly event: RecordedEvent | null;
}

export interface StateFolds {
  /**
   * The state after an event that exists. `onto`: an earlier state of the same execution, which the
   * answer shares unchanged parts with where no checkpoint is nearer; it is not to be used for its
   * settings any more.
   */
  foldTo(row: ExecutionRow, sequence: number, onto?: FoldedState): Promise<FoldedState>;
}

/** One request folds no more. */
export const FOLDED_EVENTS_MAX = 100_000;
/** A multiple of a page, so that every process keeps the same ones. */
export const CHECKPOINT_EVENTS = 2_000;
/** Folded without a pause. */
const PAGE_EVENTS = 1_000;

type FoldStore = Pick<Store, 'executions' | 'checkpoints'>;

export function createStateFolds(store: FoldStore): StateFolds {
  /** Readers of one long history wait for each other: the next finds the checkpoints of the last. */
  const folding = new Map<ExecutionId, Promise<unknown>>();
  return {
    async foldTo(row, sequence, onto) {
      if (sequence <= CHECKPOINT_EVENTS) return fold(store, { row, sequence, onto });
      const { executionId } = row;
      const before = folding.get(executionId) ?? Promise.resolve();
      const begun = before.catch(() => undefined).then(() => fold(store, { row, sequence, onto }));
      folding.set(executionId, begun);
      try {
        return await begun;
      } finally {
        if (folding.get(executionId) === begun) folding.delete(executionId);
      }
    },
  };
}

async function fold(
  store: FoldStore,
  given: {
    readonly row: ExecutionRow;
    readonly sequence: number;
    readonly onto: FoldedState | undefined;
  },
): Promise<FoldedState> {
  const { row, sequence } = given;
  const { executionId, tenantId } = row;
  let folded = await beginFold(store, given);
  const begin = folded.state.sequence;
  if (sequence - begin > FOLDED_EVENTS_MAX) throw tooFar(row, sequence, begin);
  let chars = 0;
  while (folded.state.sequence < sequence) {
    const after = folded.state.sequence;
    const limit = Math.min(PAGE_EVENTS - (after % PAGE_EVENTS), sequence - after);
    const events = await store.executions.events({ executionId, after, limit });
    if (events.length === 0) break;
    folded = foldPage(folded, events);
    if (sequence < CHECKPOINT_EVENTS) continue;
    chars += charsOf(events);
    if (folded.state.sequence % CHECKPOINT_EVENTS !== 0) continue;
    const body = encodeCheckpoint(folded);
    if (chars < body.length) continue;
    await store.checkpoints.keep({ executionId, tenantId, sequence: folded.state.sequence, body });
    chars = 0;
  }
  return folded;
}

/** The nearest state before the event. */
async function beginFold(
  { checkpoints }: FoldStore,
  given: Parameters<typeof fold>[1],
): Promise<FoldedState> {
  const { row, sequence, onto = emptyFold(row) } = given;
  if (sequence <= CHECKPOINT_EVENTS) return onto;
  const { executionId, tenantId } = row;
  const checkpoint = await checkpoints.lastBefore({ executionId, tenantId, sequence });
  if (checkpoint === null || checkpoint.sequence <= onto.state.sequence) return onto;
  return decodeCheckpoint(checkpoint.body);
}

function emptyFold(row: ExecutionRow): FoldedState {
  return {
    state: emptyState(row),
    settings: { keys: new Map(), causes: new Map() },
    event: null,
  };
}

function foldPage({ state, settings }: FoldedState, events: readonly RecordedEvent[]): FoldedState {
  const draft = draftOf(state);
  for (const event of events) {
    const before = draft.data;
    applyEvent(draft, event, { plan: null });
    noteKeys(settings, { event, before, after: draft.data });
  }
  return { state: draft, settings, event: events.at(-1) ?? null };
}

function charsOf(events: readonly RecordedEvent[]): number {
  return events.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0);
}

function tooFar({ executionId }: ExecutionRow, sequence: number, begin: number): SvcError {
  return new SvcError(
    'too_large',
    `event ${sequence} of execution ${executionId} is more than ${FOLDED_EVENTS_MAX} events after ` +
      `the last kept state: read the state after event ${begin + FOLDED_EVENTS_MAX} first, or read ` +
      'GET /executions/{id}/events in pages',
  );
}
