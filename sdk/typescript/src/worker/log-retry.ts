import type { Settings } from './worker-options.ts';

/**
 * Logs why a request is sent again: at the first failure, and then at growing intervals, with how long
 * the worker has tried. A restart of the runtime is one or two lines, and an outage is never silent.
 */
export function logRetry(
  { logger, clock }: Pick<Settings, 'logger' | 'clock'>,
  message: string,
  failed: {
    readonly error: Error;
    /** From 1. */
    readonly failures: number;
    /** When the worker sent the request for the first time, in ms. */
    readonly sinceMs: number;
  },
): void {
  const { error, failures, sinceMs } = failed;
  const triedMs = clock.nowMs() - sinceMs;
  if (failures === 1) logger.warn({ error: error.message }, message);
  else if (isTold(failures)) {
    logger.warn({ error: error.message, tried_for_s: Math.round(triedMs / 1000) }, message);
  }
}

/** The 4th, the 8th, the 16th and so on, as pauses grow to 5 s. */
function isTold(failures: number): boolean {
  return failures >= 4 && Number.isInteger(Math.log2(failures));
}
