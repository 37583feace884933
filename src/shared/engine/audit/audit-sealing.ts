import type { AuditStore } from '../../store/audit.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import type { Timers } from '../scheduling/timers.ts';
import {
  BUDGET_GROWTH,
  nextFactor,
  nextPace,
  type PaceBounds,
  USUAL_BUDGET,
} from './sealing-pace.ts';

/** The interface for the scheduler's loop that seals the audit log. */
export interface AuditSealing {
  /** Seals one window, if there is one that can no longer change. */
  round(): Promise<SealingResult>;
  /**
   * How far behind the clock the sealed part ended when this process looked last; null: it did not
   * look, because another process seals.
   */
  behindMs(): number | null;
}

export interface SealingResult extends RoundResult {
  /** While there is more, the next round is due after exactly this rest; see `sealing-pace.ts`. */
  readonly restMsMin?: number;
  readonly restMsMax?: number;
}

/** Few enough items that hashing them does not delay the process, or SQLite's writers. */
const BOUNDS: Readonly<Record<'postgres' | 'sqlite', PaceBounds>> = {
  postgres: { itemsMin: 500, itemsMax: 5_000, roundMsMax: 1_000 },
  sqlite: { itemsMin: 100, itemsMax: 1_000, roundMsMax: 60 },
};

export function createAuditSealing(
  store: { readonly dialect: keyof typeof BOUNDS; readonly audit: Pick<AuditStore, 'seal'> },
  { now }: Pick<Timers, 'now'>,
  /** How many times the budget may be taken, to keep the lag from growing. */
  { factorMax }: { readonly factorMax: number } = BUDGET_GROWTH,
): AuditSealing {
  const bounds = BOUNDS[store.dialect];
  let items = bounds.itemsMax;
  let budget = USUAL_BUDGET;
  let behindMs: number | null = null;
  return {
    async round() {
      const began = now();
      const sealed = await store.audit.seal({ itemsMax: items, lagMs: 0 });
      behindMs = sealed.behindMs;
      const { roundTrips, more } = sealed;
      budget = nextFactor(budget, { now: now(), behindMs, more, factorMax });
      const { factor } = budget;
      const pace = nextPace({ bounds, items, tookMs: now() - began, roundTrips, factor });
      items = pace.items;
      const result = { found: sealed.items, more };
      return more ? { ...result, restMsMin: pace.restMs, restMsMax: pace.restMs } : result;
    },
    behindMs: () => behindMs,
  };
}
