import { isProved } from '../../domain/audit/retired-executions.ts';
import { NOTHING_VERIFIED, type AuditProblem } from '../../domain/audit/verify-window.ts';
import type { WindowHead } from '../../domain/audit/seal.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuditStore } from '../../store/audit.ts';
import { importUnproved, retirementUnproved, verifyImport } from './verify-records.ts';
import { verifyOneWindow } from './verify-one-window.ts';
import { verifyRows } from './verify-rows.ts';

export interface AuditVerdict {
  readonly windows: number;
  readonly items: number;
  /**
   * The number of these items that retention has removed, and that their remaining records prove.
   */
  readonly retiredItems: number;
  readonly retiredExecutions: number;
  /**
   * The number of existing imported executions: they are not items, and are verified besides them.
   */
  readonly importedEvents: number;
  readonly importedExecutions: number;
  /** Rows that are no items and agree with the log. */
  readonly definitions: number;
  readonly executions: number;
  /** The end of the chain as far as it was good; kept elsewhere, it proves the log up to there. */
  readonly head: WindowHead;
  /**
   * Findings about the first window that differs from its seal, removed executions without an entry
   * in the log, imported ones that differ from their entry, or definitions and executions whose
   * rows differ from the log; empty: everything matches.
   */
  readonly problems: readonly AuditProblem[];
}

const WINDOWS_AT_A_TIME = 100;
const RETIREMENTS_AT_A_TIME = 20;
const IMPORTS_AT_A_TIME = 20;

/**
 * Follows the chains from their beginning and compares every window with what the tables hold, one
 * at a time. Stops at the first that is wrong. Hashes prove the items of removed executions, and
 * the entry of the removal proves the hashes. The entry of an import proves an imported history,
 * and every sealed entry of an import must have its record. `expected` is a saved head: the chain
 * must contain it, so that a truncated or rebuilt chain is detected too.
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
  let importedEvents = 0;
  let rows = { definitions: 0, executions: 0 };
  const importedExecutions = new Set<string>();
  const importsTold = new Map<string, string | null>();
  const end = (problems: readonly AuditProblem[]): AuditVerdict => ({
    windows: upTo.window.windowNumber,
    items,
    retiredItems,
    retiredExecutions,
    importedEvents,
    importedExecutions: importedExecutions.size,
    definitions: rows.definitions,
    executions: rows.executions,
    head: upTo.window,
    problems,
  });
  for (;;) {
    const after = upTo.window.windowNumber;
    const windows = await audit.windows({ after, limit: WINDOWS_AT_A_TIME });
    if (windows.length === 0) break;
    for (const window of windows) {
      const { windowNumber } = window;
      const verified = await verifyOneWindow(audit, { upTo, window, tenantId });
      if (verified.problems.length > 0) return end(verified.problems);
      if (windowNumber === expected?.windowNumber && window.hash !== expected.hash) {
        return end([{ ...NOTHING_NAMED, what: 'window_changed', windowNumber }]);
      }
      upTo = verified.upTo;
      for (const [id, owner] of verified.imports) importsTold.set(id, owner);
      items += verified.items;
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
      retiredExecutions += retirement.executions.length;
      if (!isProved(retirement)) return end([retirementUnproved(retirement)]);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.retirementId;
  }
  for (let after: string | null = null; ;) {
    const page = await audit.imports({ after, tenantId, limit: IMPORTS_AT_A_TIME });
    for (const imported of page) {
      importsTold.delete(imported.importId);
      const { problems, events } = await verifyImport(audit, imported);
      if (problems.length > 0) return end(problems);
      // If an execution was imported, removed and imported again, each record is verified.
      if (!imported.isThere || importedExecutions.has(imported.executionId)) continue;
      importedExecutions.add(imported.executionId);
      importedEvents += events;
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.importId;
  }
  if (importsTold.size > 0) {
    return end([...importsTold].map(([id, owner]) => importUnproved(id, owner)));
  }
  const verified = await verifyRows(audit, tenantId);
  rows = verified;
  return end(verified.problems);
}

const NOTHING_NAMED = { tenantId: null, sealNumber: null, row: null };
