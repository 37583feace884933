import { setTimeout as delay } from 'node:timers/promises';

import { ApiError, ApiUnreachableError } from '../clients/svc/request.ts';

const DELAY_MS = { first: 250, most: 5_000 };
/** A runtime that restarts is back within. */
const AWAY_MS_MAX = 30_000;

/**
 * Calls the runtime until it answers. Repeats the call while the tenant's limit is reached (429), the
 * database is unavailable (503) or a start finds all places of its workflow taken (409), and for half
 * a minute while the runtime is gone. The call must be safe to repeat.
 */
export async function callUntilAnswered<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  let delayMs = DELAY_MS.first;
  let awaySince: number | null = null;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const isAway = error instanceof ApiUnreachableError;
      if (signal.aborted || !(isAway || isBusy(error))) throw error;
      const now = performance.now();
      awaySince = isAway ? (awaySince ?? now) : null;
      if (awaySince !== null && now - awaySince > AWAY_MS_MAX) throw error;
    }
    await delay(delayMs, undefined, { signal });
    delayMs = Math.min(delayMs * 2, DELAY_MS.most);
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return [429, 503].includes(error.status) || isPlaceRefused(error);
}

/** The workflow refuses starts while all its places are taken: `when_full: refuse`. */
export function isPlaceRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'concurrency_limit';
}
