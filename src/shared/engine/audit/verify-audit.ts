import {
  NOTHING_VERIFIED,
  verifyWindow,
  type AuditProblem,
} from '../../domain/audit/verify-window.ts';
import type { WindowHead } from '../../domain/audit/seal.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuditStore } from '../../store/audit.ts';

export interface AuditVerdict {
  readonly windows: number;
  readonly items: number;
  /** The end of the chain as far as it was good; kept elsewhere, it proves the log up to there. */
  readonly head: WindowHead;
  /** Of the first window that is not as it was sealed; empty: all of it is. */
  readonly problems: readonly AuditProblem[];
}

const WINDOWS_AT_A_TIME = 100;

/**
 * Follows the chains from their beginning and compares every window with what the tables hold, one
 * at a time. Stops at the first that is wrong. `expected` is a head that was kept: the chain must
 * hold it, so that what was cut off at the end or made anew is found too.
 */
export async function verifyAudit(
  audit: AuditStore,
  params: {
    /** Null: all tenants. */
    readonly tenantId: TenantId | null;
    readonly expected: { readonly windowNumber: number; readonly hash: string } | null;
  },
): Promise<AuditVerdict> {
  const { tenantId, expected } = params;
  let upTo = NOTHING_VERIFIED;
  let items = 0;
  const end = (problems: readonly AuditProblem[]): AuditVerdict => ({
    windows: upTo.window.windowNumber,
    items,
    head: upTo.window,
    problems,
  });
  for (;;) {
    const after = upTo.window.windowNumber;
    const windows = await audit.windows({ after, limit: WINDOWS_AT_A_TIME });
    if (windows.length === 0) break;
    for (const window of windows) {
      const { windowNumber, coversFrom, coversTo } = window;
      const seals = await audit.seals({ windowNumber });
      const found = await audit.sealable({ coversFrom, coversTo, tenantId });
      const verified = verifyWindow({ upTo, window, seals, items: found, tenantId });
      if (verified.problems.length > 0) return end(verified.problems);
      if (windowNumber === expected?.windowNumber && window.hash !== expected.hash) {
        return end([{ ...NOTHING_NAMED, what: 'window_changed', windowNumber }]);
      }
      upTo = verified.upTo;
      items += found.length;
    }
  }
  if (expected !== null && expected.windowNumber > upTo.window.windowNumber) {
    const windowNumber = upTo.window.windowNumber + 1;
    return end([{ ...NOTHING_NAMED, what: 'window_missing', windowNumber }]);
  }
  return end([]);
}

const NOTHING_NAMED = { tenantId: null, sealNumber: null, row: null };
