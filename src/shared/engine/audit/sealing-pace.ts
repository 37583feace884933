/*
 * The pace of sealing. Sealing is proof for later, so it must not take the machine from the work of
 * now, also not after a bulk load. A round reports what it took, and the pace answers how long to
 * rest and how much to seal next.
 *
 * The time that a round took is an upper bound for the processor time that it used, here and in the
 * database: its statements and its hashing follow each other. On a busy machine a round takes
 * longer, so sealing rests longer there.
 */

/** The most that sealing takes. */
export const SEALING_BUDGET = {
  /** The part of one core that the scheduler and the database use together. */
  coreShare: 0.25,
  roundTripsPerSecond: 10,
} as const;

export interface PaceBounds {
  readonly itemsMin: number;
  readonly itemsMax: number;
  /** Rounds that take longer seal fewer items next: others wait for the thread meanwhile. */
  readonly roundMsMax: number;
}

export interface SealingPace {
  /** The size of the next window. */
  readonly items: number;
  /** The rest after this round, as long as there is more. */
  readonly restMs: number;
}

const REST_MS_MAX = 15_000;

export function nextPace(given: {
  readonly bounds: PaceBounds;
  /** The size that this round had at most. */
  readonly items: number;
  readonly tookMs: number;
  readonly roundTrips: number;
}): SealingPace {
  const { bounds, tookMs, roundTrips } = given;
  const { coreShare, roundTripsPerSecond } = SEALING_BUDGET;
  const periodMs = Math.max(tookMs / coreShare, (roundTrips * 1_000) / roundTripsPerSecond);
  return {
    items: Math.min(bounds.itemsMax, Math.max(bounds.itemsMin, resize(given))),
    restMs: Math.min(REST_MS_MAX, Math.max(0, periodMs - tookMs)),
  };
}

function resize({
  bounds,
  items,
  tookMs,
}: {
  readonly bounds: PaceBounds;
  readonly items: number;
  readonly tookMs: number;
}): number {
  if (tookMs > bounds.roundMsMax) return Math.floor(items / 2);
  return tookMs < bounds.roundMsMax / 3 ? items * 2 : items;
}
