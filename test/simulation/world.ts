import type { Cancel } from '../../src/shared/engine/scheduling/timers.ts';
import type { Dice } from './dice.ts';

/**
 * Time, and the order of events in it. Everything that takes time (a statement on its way to the
 * database, an answer on its way back, a pause) is an entry in one queue. The world takes the
 * earliest entry, moves the clock to it, runs it, and lets all its immediate effects (promises,
 * microtasks) finish before it takes the next. The delays come from the seed, so only the seed
 * chooses the order.
 */
export interface World {
  /** Milliseconds since the beginning. */
  now(): number;
  after(ms: number, action: () => void | Promise<void>): Cancel;
  pause(ms: number): Promise<void>;
  /** Runs entries up to `untilMs`, or until `isOver` returns true. */
  run(params: { readonly isOver: () => boolean; readonly untilMs: number }): Promise<void>;
  /** Adds a line to the trace, with its time. */
  note(line: string): void;
  readonly lines: readonly string[];
}

interface Entry {
  readonly at: number;
  /** Orders entries with the same time. */
  readonly tie: number;
  action: (() => void | Promise<void>) | null;
}

export function createWorld(params: { readonly dice: Dice; readonly traced: boolean }): World {
  const { dice, traced } = params;
  const heap = createHeap();
  const lines: string[] = [];
  let time = 0;

  function after(ms: number, action: () => void | Promise<void>): Cancel {
    const entry: Entry = { at: time + Math.max(0, ms), tie: dice.fraction(), action };
    heap.push(entry);
    return () => {
      entry.action = null;
    };
  }

  return {
    now: () => time,
    after,
    pause: (ms) => new Promise((resolve) => void after(ms, resolve)),
    run: ({ isOver, untilMs }) =>
      inTurns(() => {
        if (isOver()) return false;
        while (heap.nextAt() <= untilMs) {
          const { at, action } = heap.pop() as Entry;
          if (action === null) continue;
          time = at;
          void action();
          return true;
        }
        time = untilMs;
        return false;
      }),
    note: (line) => {
      if (traced) lines.push(`${time.toFixed(3).padStart(10)} ${line}`);
    },
    lines,
  };
}

/**
 * Calls `step` until it returns false. Between two immediates, Node finishes all microtasks, so
 * each step completes before the next. One round of the real event loop contains many immediates,
 * because a round costs more than most steps.
 */
function inTurns(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let goesOn = true;
    const turn = (): void => {
      if (!goesOn) return;
      try {
        goesOn = step();
        if (!goesOn) resolve();
      } catch (error) {
        goesOn = false;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const round = (): void => {
      turn();
      if (!goesOn) return;
      for (let more = 1; more < TURNS; more += 1) setImmediate(turn);
      setImmediate(round);
    };
    setImmediate(round);
  });
}

/** Immediates in one round of the event loop. */
const TURNS = 64;

function createHeap() {
  const entries: Entry[] = [];
  const isBefore = (one: Entry, other: Entry): boolean =>
    one.at < other.at || (one.at === other.at && one.tie < other.tie);

  return {
    nextAt: () => entries[0]?.at ?? Infinity,
    push(entry: Entry): void {
      let at = entries.length;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        const above = entries[parent] as Entry;
        if (!isBefore(entry, above)) break;
        entries[at] = above;
        at = parent;
      }
      entries[at] = entry;
    },
    pop(): Entry | null {
      const first = entries[0] ?? null;
      const last = entries.pop();
      if (last === undefined || entries.length === 0) return first;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= entries.length) break;
        const right = entries[child + 1];
        if (right !== undefined && isBefore(right, entries[child] as Entry)) child += 1;
        const below = entries[child] as Entry;
        if (!isBefore(below, last)) break;
        entries[at] = below;
        at = child;
      }
      entries[at] = last;
      return first;
    },
  };
}
