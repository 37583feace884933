import { readDuration, type Duration } from '../duration.ts';

/** How often a step is tried. */
export interface StepRetry {
  /** At most that many attempts, from 1. Default: 5. */
  readonly maxAttempts?: number;
  /** Before the second attempt. Default: `500ms`. */
  readonly initialInterval?: Duration;
  /** The factor from one pause to the next. Default: 2. */
  readonly backoff?: number;
  /** The longest pause. Default: `5m`. */
  readonly maxInterval?: Duration;
}

/** A longer pause suspends the function, so that no process waits for it. */
export const PAUSE_IN_TURN_MS_MAX = 5000;

/** The pause after `attempt` attempts in ms; null when that was the last. */
export function pauseAfter(attempt: number, retry: StepRetry): number | null {
  if (attempt >= (retry.maxAttempts ?? 5)) return null;
  const firstMs = readDuration(retry.initialInterval ?? 500);
  const mostMs = readDuration(retry.maxInterval ?? 300_000);
  return Math.min(firstMs * (retry.backoff ?? 2) ** (attempt - 1), mostMs);
}
