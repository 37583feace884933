import { setImmediate } from 'node:timers/promises';
import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';

export interface VirtualTimers extends Timers {
  /** Advances the time by `ms`: calls due actions in order, and lets their consequences happen. */
  advance(ms: number): Promise<void>;
}

/** A clock that only the test advances. */
export function createVirtualTimers(): VirtualTimers {
  let time = 0;
  const waiting = new Set<{ readonly at: number; readonly action: () => void }>();

  function nextBy(end: number) {
    const due = [...waiting].filter(({ at }) => at <= end);
    return due.toSorted((one, other) => one.at - other.at)[0];
  }

  return {
    now: () => time,
    after(ms, action) {
      const entry = { at: time + ms, action };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    async advance(ms) {
      const end = time + ms;
      await setImmediate();
      for (let entry = nextBy(end); entry !== undefined; entry = nextBy(end)) {
        waiting.delete(entry);
        time = Math.max(time, entry.at);
        entry.action();
        await setImmediate();
      }
      time = end;
    },
  };
}
