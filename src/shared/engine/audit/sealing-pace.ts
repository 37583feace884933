/*
 * The pace of sealing. Sealing is proof for later, so it must not take the machine from the work of
 * now, also not after a bulk load. A round reports what it took, and the pace answers how long to
 * rest and how much to seal next.
 *
 * The time that a round took is an upper bound for the processor time that it used, here and in the
 * database: its statements and its hashing follow each other. On a busy machine a round takes
 * longer, so sealing rests longer there.
 *
 * A lag that gets smaller needs no more than the budget, however large it is. Where more is recorded
 * than the budget seals, the lag would grow until the load drops, so the budget grows with it.
 */

/** The most that sealing takes while its lag does not grow. */
export const SEALING_BUDGET = {
  /** The part of one core that the scheduler and the database use together. */
  coreShare: 0.25,
  roundTripsPerSecond: 10,
} as const;

/** How the budget grows with the lag. */
export const BUDGET_GROWTH = {
  /** A smaller lag is usual: windows stay a minute behind the clock, and rounds rest. */
  lagMsMin: 120_000,
  /** How often the lag is compared with the one before. */
  everyMs: 15_000,
  /** Faster up than down, so that the lag also gets smaller under a steady load. */
  raiseBy: 2,
  lowerBy: 1.1,
  /** Four times a quarter of a core is one core. */
  factorMax: 4,
} as const;

export interface BudgetFactor {
  readonly factor: number;
  /** The lag that the next one is compared with; null: sealing has kept up. */
  readonly compared: { readonly at: number; readonly behindMs: number } | null;
}

export const USUAL_BUDGET: BudgetFactor = { factor: 1, compared: null };

/** How many times the budget the next rounds may take. */
export function nextFactor(
  before: BudgetFactor,
  round: {
    readonly now: number;
    /** Null: another process seals. */
    readonly behindMs: number | null;
    readonly more: boolean;
    readonly factorMax: number;
  },
): BudgetFactor {
  const { now, behindMs, more, factorMax } = round;
  if (!more) return USUAL_BUDGET;
  if (behindMs === null) return before;
  const compared = { at: now, behindMs };
  if (before.compared === null) return { ...before, compared };
  if (now - before.compared.at < BUDGET_GROWTH.everyMs) return before;
  const { lagMsMin, raiseBy, lowerBy } = BUDGET_GROWTH;
  const grows = behindMs > lagMsMin && behindMs >= before.compared.behindMs;
  const factor = grows ? before.factor * raiseBy : before.factor / lowerBy;
  return { factor: Math.min(factorMax, Math.max(1, factor)), compared };
}

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
  /** See `nextFactor`. */
  readonly factor: number;
}): SealingPace {
  const { bounds, tookMs, roundTrips, factor } = given;
  const coreShare = SEALING_BUDGET.coreShare * factor;
  const roundTripsPerSecond = SEALING_BUDGET.roundTripsPerSecond * factor;
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
