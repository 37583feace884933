import { findMissing } from '../../domain/audit/diff-members.ts';
import { isProved } from '../../domain/audit/retired-executions.ts';
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
  /** Of these items: how many were removed by retention and are proved by what is left of them. */
  readonly retiredItems: number;
  readonly retiredExecutions: number;
  /** The end of the chain as far as it was good; kept elsewhere, it proves the log up to there. */
  readonly head: WindowHead;
  /**
   * Of the first window that is not as it was sealed, or of removed executions that no entry of the
   * log tells of; empty: all is well.
   */
  readonly problems: readonly AuditProblem[];
}

const WINDOWS_AT_A_TIME = 100;
const RETIREMENTS_AT_A_TIME = 20;

/**
 * Follows the chains from their beginning and compares every window with what the tables hold, one
 * at a time. Stops at the first that is wrong. Items of executions that retention has removed are
 * proved by their hashes, and these by the entry that tells of the removal. `expected` is a head that was kept: the chain must
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
  let retiredItems = 0;
  let retiredExecutions = 0;
  const end = (problems: readonly AuditProblem[]): AuditVerdict => ({
    windows: upTo.window.windowNumber,
    items,
    retiredItems,
    retiredExecutions,
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
      const retired = await readRetired(audit, findMissing(seals, found));
      const verified = verifyWindow({ upTo, window, seals, items: found, tenantId, retired });
      if (verified.problems.length > 0) return end(verified.problems);
      if (windowNumber === expected?.windowNumber && window.hash !== expected.hash) {
        return end([{ ...NOTHING_NAMED, what: 'window_changed', windowNumber }]);
      }
      upTo = verified.upTo;
      items += found.length + verified.retiredItems;
      retiredItems += verified.retiredItems;
    }
  }
  if (expected !== null && expected.windowNumber > upTo.window.windowNumber) {
    const windowNumber = upTo.window.windowNumber + 1;
    return end([{ ...NOTHING_NAMED, what: 'window_missing', windowNumber }]);
  }
  for (let after: string | null = null; ;) {
    const page = await audit.retirements({ after, tenantId, limit: RETIREMENTS_AT_A_TIME });
    for (const retirement of page) {
      const { retirementId: id, executions } = retirement;
      retiredExecutions += executions.length;
      if (isProved(retirement)) continue;
      const row = { id, executionId: null, sequence: null, createdAt: null };
      const about = { tenantId: executions[0]?.tenantId ?? null, windowNumber: null };
      return end([{ what: 'retirement_unproved', ...about, sealNumber: null, row }]);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.retirementId;
  }
  return end([]);
}

/** By execution id. */
async function readRetired(
  audit: AuditStore,
  executionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (executionIds.length === 0) return new Map();
  const retired = await audit.retired({ executionIds });
  return new Map(
    retired.map(({ executionId, eventHashes }) => [executionId, eventHashes] as const),
  );
}

const NOTHING_NAMED = { tenantId: null, sealNumber: null, row: null };
