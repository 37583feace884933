import type { Cancel, Timers } from '../../shared/engine/scheduling/timers.ts';

/** A clock that runs with the system's, and skips time on request. */
export interface SkippingClock {
  /** Unix milliseconds. */
  now(): number;
  /** The timers of a process on this clock. */
  readonly timers: Timers;
  /** Moves the clock forward; timers that are due by then fire in the next turns of the event loop. */
  skip(ms: number): void;
}

interface Pending {
  readonly dueAt: number;
  readonly fire: () => void;
  cancel: Cancel;
}

/**
 * `startAt`: the time at which the clock starts, in Unix milliseconds. `system`: the timers that run beneath
 * it, in real time.
 */
export function createSkippingClock(params: {
  readonly startAt: number;
  readonly system: Timers;
}): SkippingClock {
  const { startAt, system } = params;
  const begun = system.now();
  const pending = new Set<Pending>();
  let skipped = 0;
  const now = () => system.now() - begun + skipped;

  const arm = (one: Pending) => {
    one.cancel = system.after(Math.max(0, one.dueAt - now()), one.fire);
  };
  const after = (ms: number, action: () => void): Cancel => {
    const fire = () => {
      pending.delete(one);
      action();
    };
    const one: Pending = { dueAt: now() + ms, fire, cancel: () => undefined };
    pending.add(one);
    arm(one);
    return () => {
      pending.delete(one);
      one.cancel();
    };
  };
  return {
    now: () => startAt + now(),
    timers: { now, after },
    skip(ms) {
      skipped += ms;
      for (const one of [...pending].toSorted((a, b) => a.dueAt - b.dueAt)) {
        one.cancel();
        arm(one);
      }
    },
  };
}
