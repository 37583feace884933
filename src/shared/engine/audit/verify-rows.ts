import {
  agreesWithEvents,
  isIrIntact,
  isRegistrationProved,
} from '../../domain/audit/stored-rows.ts';
import type { AuditProblem } from '../../domain/audit/verify-window.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuditStore, RowPage } from '../../store/audit.ts';

export interface RowsVerdict {
  readonly definitions: number;
  readonly executions: number;
  /** Findings of the first page with a row that differs from the log. */
  readonly problems: readonly AuditProblem[];
}

export const ROW_STAGES = ['registrations', 'definitions', 'executions'] as const;
export type RowStage = (typeof ROW_STAGES)[number];

export interface VerifiedPage {
  readonly good: number;
  readonly problems: readonly AuditProblem[];
  /** Null: this was the last page. */
  readonly next: string | null;
}

/**
 * Holds rows that are no items of the log against it, a page at a time: definitions against their hash and the
 * entry of their registration, executions against their events, imported ones included.
 */
export async function verifyRows(
  audit: AuditStore,
  tenantId: TenantId | null,
): Promise<RowsVerdict> {
  const good = { registrations: 0, definitions: 0, executions: 0 };
  for (const stage of ROW_STAGES) {
    let after: string | null = null;
    do {
      const page: VerifiedPage = await verifyRowPage(audit, stage, { tenantId, after });
      good[stage] += page.good;
      if (page.problems.length > 0) return { ...good, problems: page.problems };
      after = page.next;
    } while (after !== null);
  }
  return { ...good, problems: [] };
}

export function verifyRowPage(
  audit: AuditStore,
  stage: RowStage,
  from: Pick<RowPage, 'tenantId' | 'after'>,
): Promise<VerifiedPage> {
  return STAGES[stage](audit, from);
}

type CheckPage = (
  audit: AuditStore,
  from: Pick<RowPage, 'tenantId' | 'after'>,
) => Promise<VerifiedPage>;

const STAGES: Readonly<Record<RowStage, CheckPage>> = {
  registrations: checkPages({
    limit: 500,
    read: (audit, page) => audit.registrations(page),
    keyOf: ({ auditId }) => auditId,
    isGood: isRegistrationProved,
    tell: ({ auditId, tenantId: owner, definition }) =>
      definition === null
        ? problemOf({ what: 'definition_removed', tenantId: owner, id: auditId })
        : problemOf({ what: 'definition_changed', tenantId: owner, id: definition.definitionId }),
  }),
  definitions: checkPages({
    // An IR may have megabytes.
    limit: 20,
    read: (audit, page) => audit.storedDefinitions(page),
    keyOf: ({ definitionId }) => definitionId,
    isGood: isIrIntact,
    tell: ({ definitionId: id, tenantId: owner }) =>
      problemOf({ what: 'definition_changed', tenantId: owner, id }),
  }),
  executions: checkPages({
    limit: 500,
    read: (audit, page) => audit.storedExecutions(page),
    keyOf: ({ executionId }) => executionId,
    isGood: agreesWithEvents,
    tell: ({ executionId, tenantId: owner }) => ({
      ...problemOf({ what: 'execution_changed', tenantId: owner, id: executionId }),
      row: { id: executionId, executionId, sequence: null, createdAt: null },
    }),
  }),
};

function checkPages<Row>(params: {
  readonly limit: number;
  readonly read: (audit: AuditStore, page: RowPage) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => string;
  readonly isGood: (row: Row) => boolean;
  readonly tell: (row: Row) => AuditProblem;
}): CheckPage {
  const { limit, read, keyOf, isGood, tell } = params;
  return async (audit, from) => {
    const page = await read(audit, { ...from, limit });
    const bad = page.filter((row) => !isGood(row));
    const last = page.at(-1);
    return {
      good: page.length - bad.length,
      problems: bad.map(tell),
      next: last === undefined ? null : keyOf(last),
    };
  };
}

function problemOf(params: {
  readonly what: AuditProblem['what'];
  readonly tenantId: string;
  readonly id: string;
}): AuditProblem {
  const { what, tenantId, id } = params;
  const row = { id, executionId: null, sequence: null, createdAt: null };
  return { what, tenantId, windowNumber: null, sealNumber: null, row };
}
