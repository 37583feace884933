import type { Timers } from './timers.ts';

/** So many events are worked on without a pause. */
export const EVENTS_AT_A_TIME = 500;

/** Works on a long list piece by piece. The process serves others in between. */
export async function inPieces<Item>(
  { timers }: { readonly timers: Pick<Timers, 'after'> },
  items: readonly Item[],
  work: (piece: readonly Item[], from: number) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += EVENTS_AT_A_TIME) {
    work(items.slice(from, from + EVENTS_AT_A_TIME), from);
    await letOthersRun(timers);
  }
}

/** Resolves when the event loop has had a turn. */
export function letOthersRun(timers: Pick<Timers, 'after'>): Promise<void> {
  return new Promise((resolve) => void timers.after(0, resolve));
}
