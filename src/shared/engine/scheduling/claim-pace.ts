/**
 * How often long polls look at their queues without a hint, since hints may be lost. All that wait
 * for the same queues in this process share it, so that a hundred waiting workers cause one look
 * and not a hundred.
 *
 * - After an empty look the rest doubles, up to `POLL_MS.max`, and on to `POLL_MS.quietMax` once
 *   nothing was found and no hint came for `QUIET_AFTER_MS`. A hint or a find starts over.
 * - A poll that finds something in a quiet time which no hint announced shows that hints cannot be
 *   relied on here; rests keep to `POLL_MS.max` for `DISTRUST_MS`.
 */
export interface ClaimPace {
  /** Somebody is about to look. */
  looking(key: string): void;
  /** The result of a look. `reason`: at the beginning of a wait, after a hint, or by the clock. */
  looked(key: string, look: { readonly found: boolean; readonly reason: LookReason }): void;
  /** Time until the next look, by any caller; 0: now. */
  untilLookMs(key: string): number;
}

export type LookReason = 'arrival' | 'hint' | 'poll';

export function createClaimPace(now: () => number): ClaimPace {
  const paces = new Map<string, Pace>();

  function paceOf(key: string): Pace {
    const known = paces.get(key);
    if (known !== undefined) return known;
    // Queue names are the callers' choice: bounded, or a caller could fill the memory.
    if (paces.size >= KNOWN_MAX) paces.clear();
    const pace = {
      lookedAt: -Infinity,
      newsAt: now(),
      restMs: POLL_MS.min,
      distrustUntil: -Infinity,
    };
    paces.set(key, pace);
    return pace;
  }

  function isQuiet({ newsAt, distrustUntil }: Pace): boolean {
    return now() - newsAt >= QUIET_AFTER_MS && now() >= distrustUntil;
  }

  return {
    looking(key) {
      paceOf(key).lookedAt = now();
    },
    looked(key, { found, reason }) {
      const pace = paceOf(key);
      if (found && reason === 'poll' && isQuiet(pace)) pace.distrustUntil = now() + DISTRUST_MS;
      if (found || reason === 'hint') {
        pace.newsAt = now();
        pace.restMs = POLL_MS.min;
      } else {
        const longest = isQuiet(pace) ? POLL_MS.quietMax : POLL_MS.max;
        pace.restMs = Math.min(pace.restMs * 2, longest);
      }
    },
    untilLookMs(key) {
      const { lookedAt, restMs } = paceOf(key);
      return Math.max(0, lookedAt + restMs - now());
    },
  };
}

interface Pace {
  lookedAt: number;
  /** The last find, or the last hint. */
  newsAt: number;
  restMs: number;
  distrustUntil: number;
}

const POLL_MS = { min: 100, max: 2_000, quietMax: 10_000 };
const QUIET_AFTER_MS = 10_000;
const DISTRUST_MS = 600_000;
const KNOWN_MAX = 10_000;
