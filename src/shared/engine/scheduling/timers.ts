/** The clock and the timers of a process. A test passes a clock that it moves. */
export interface Timers {
  /** Milliseconds, never going back. */
  now(): number;
  /** Calls `action` after `ms`, or as soon as the event loop has had a turn when 0. */
  after(ms: number, action: () => void): Cancel;
}

export type Cancel = () => void;

export const systemTimers: Timers = {
  now: () => performance.now(),
  after(ms, action) {
    if (ms <= 0) {
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    }
    const timeout = setTimeout(action, ms);
    return () => clearTimeout(timeout);
  },
};

/**
 * Calls back before the next turn of the event loop, once nothing is left that can continue without
 * I/O or a timer. No time passes, on any clock.
 */
export function afterMicrotasks(action: () => void): void {
  queueMicrotask(() => process.nextTick(action));
}
