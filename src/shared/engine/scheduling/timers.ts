/** Time as a process has it; a test passes a clock it moves itself. */
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
 * Calls back once nothing is left to do that can go on without I/O or a timer, before the event loop
 * goes round: no time goes by, whatever clock a process has.
 */
export function afterMicrotasks(action: () => void): void {
  queueMicrotask(() => process.nextTick(action));
}
