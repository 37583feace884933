/**
 * Whether anything has happened lately, so that an idle cluster can be quiet.
 *
 * Two schedulers that each ask for runnable executions once a second are two statements a second
 * for nothing. So when no hint came and no round found anything for `QUIET_AFTER_MS`, rests may grow
 * past their usual longest one. Hints (direct calls in the process, NOTIFY between processes) end a
 * quiet rest at once. They may be lost, behind a connection pooler for example; therefore a round
 * that finds work in a quiet time which no hint announced shows that hints cannot be relied on
 * here, and rests keep to their usual bounds for `DISTRUST_MS`.
 */
export interface Activity {
  /** Something happened: a hint, or a round found something. */
  readonly touch: () => void;
  readonly isQuiet: () => boolean;
  /** Work was found in a quiet time that no hint had announced. */
  readonly hintMissed: () => void;
  /** Hints have not been missed lately. */
  readonly trustsHints: () => boolean;
}

export function createActivity(now: () => number): Activity {
  let lastTouch = now();
  let distrustUntil = -Infinity;
  const trustsHints = () => now() >= distrustUntil;
  return {
    touch() {
      lastTouch = now();
    },
    isQuiet: () => now() - lastTouch >= QUIET_AFTER_MS && trustsHints(),
    hintMissed() {
      distrustUntil = now() + DISTRUST_MS;
    },
    trustsHints,
  };
}

export const QUIET_AFTER_MS = 10_000;
export const DISTRUST_MS = 600_000;
