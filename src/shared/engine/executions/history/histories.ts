import { BoundedMap } from '../../../domain/bounded-map.ts';
import { SvcError } from '../../../domain/errors.ts';
import type { Wake } from '../../../ports/wake.ts';
import type { ExecutionRow, ExecutionStore } from '../../../store/store.ts';
import { BREAKS_TOPIC } from '../../wake/wake-bus.ts';
import { createHistory, type History } from './history.ts';

/** The folded histories that this process has read lately, so that a reader can step through one. */
export interface Histories {
  /** The history up to the last event of the row. Throws a 413 for one that is too long. */
  open(row: ExecutionRow): Promise<History>;
}

/** Longer histories are read in pages. */
export const FOLDED_EVENTS_MAX = 100_000;
const HISTORIES_MAX = 16;
/** Characters of the states that all kept histories may hold together. */
const CHARS_MAX = 32 * 1024 * 1024;

export function createHistories(deps: {
  readonly executions: Pick<ExecutionStore, 'events'>;
  readonly wake: Pick<Wake, 'subscribe'>;
}): Histories {
  const kept = new BoundedMap<string, History>(HISTORIES_MAX);
  deps.wake.subscribe(BREAKS_TOPIC, () => kept.clear());
  /** Readers of one history wait for each other: the next finds the work of the one before done. */
  const reading = new Map<string, Promise<History>>();

  async function read(key: string, row: ExecutionRow, before: Promise<unknown>): Promise<History> {
    await before.catch(() => undefined);
    const history = kept.get(key) ?? createHistory(row);
    // A failed reading has recorded a part only, so its history is not kept.
    kept.delete(key);
    await history.readOn(deps.executions, row.lastSequence);
    keep(key, history);
    return history;
  }

  function keep(key: string, history: History): void {
    if (history.chars() > CHARS_MAX) return;
    kept.set(key, history);
    let chars = kept.values().reduce((sum, one) => sum + one.chars(), 0);
    for (const [oldest, one] of kept) {
      if (chars <= CHARS_MAX) break;
      kept.delete(oldest);
      chars -= one.chars();
    }
  }

  return {
    async open(row) {
      if (row.lastSequence > FOLDED_EVENTS_MAX) {
        throw new SvcError(
          'too_large',
          `execution ${row.executionId} has ${row.lastSequence} events, more than ${FOLDED_EVENTS_MAX}: read GET /executions/{id}/events in pages`,
        );
      }
      // An execution that was removed may come back by an import with another history.
      const key = `${row.executionId} ${row.definitionId} ${row.createdAt}`;
      const begun = read(key, row, reading.get(key) ?? Promise.resolve());
      reading.set(key, begun);
      try {
        return await begun;
      } finally {
        if (reading.get(key) === begun) reading.delete(key);
      }
    },
  };
}
