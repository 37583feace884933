import type { AuditStore } from '../../store/audit.ts';
import type { RoundResult } from '../scheduling/round-result.ts';

/** The interface for the scheduler's loop that seals the audit log. */
export interface AuditSealing {
  /** Seals one window, if there is one that can no longer change. */
  round(): Promise<RoundResult>;
  /**
   * How far behind the clock the sealed part ended when this process looked last; null: it did not
   * look, because another process seals.
   */
  behindMs(): number | null;
}

/** The most items of one window: few enough that hashing them does not delay the process. */
const ITEMS_MAX = { postgres: 5_000, sqlite: 1_000 };

export function createAuditSealing(store: {
  readonly dialect: keyof typeof ITEMS_MAX;
  readonly audit: AuditStore;
}): AuditSealing {
  let behindMs: number | null = null;
  return {
    async round() {
      const itemsMax = ITEMS_MAX[store.dialect];
      const sealed = await store.audit.seal({ itemsMax, lagMs: 0 });
      behindMs = sealed.behindMs;
      return { found: sealed.items, more: sealed.more };
    },
    behindMs: () => behindMs,
  };
}
