import { setTimeout as delay } from 'node:timers/promises';

/** False: the signal was aborted before the time was over. */
export async function pauseUntil(signal: AbortSignal, ms: number): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
