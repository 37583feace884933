import { setTimeout as delay } from 'node:timers/promises';

/** Time that goes by in this process; nothing here keeps it alive. */
export const systemDelays = {
  /** Resolves after this time, or when the signal aborts. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(ms, undefined, { signal, ref: false });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },

  /** Aborts after this time; never after one that no timer of a process knows, some 24 days. */
  timeout: (ms: number): AbortSignal =>
    ms > TIMER_MS_MAX ? new AbortController().signal : AbortSignal.timeout(ms),
};

/** Node cuts longer ones to a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1;
