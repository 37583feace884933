import { setTimeout as delay } from 'node:timers/promises';

/** Time that goes by in this process; nothing here keeps it alive. */
export const systemTimers = {
  /** Resolves after this time, or when the signal aborts. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(ms, undefined, { signal, ref: false });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },

  /** Aborts after this time. */
  timeout: (ms: number): AbortSignal => AbortSignal.timeout(ms),
};
