import {
  agreesWithEvents,
  isIrIntact,
  isRegistrationProved,
} from '../../domain/audit/stored-rows.ts';
import type { AuditProblem } from '../../domain/audit/verify-window.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuditStore } from '../../store/audit.ts';

export interface RowsVerdict {
  readonly definitions: number;
  readonly executions: number;
  /** Findings of the first page with a row that differs from the log. */
  readonly problems: readonly AuditProblem[];
}

/** An IR may have megabytes. */
const DEFINITIONS_AT_A_TIME = 20;
const REGISTRATIONS_AT_A_TIME = 500;
const EXECUTIONS_AT_A_TIME = 500;

/**
 * Holds rows that are no items of the log against it, a page at a time: definitions against their hash and the
 * entry of their registration, executions against their events, imported ones included.
 */
export async function verifyRows(
  audit: AuditStore,
  tenantId: TenantId | null,
): Promise<RowsVerdict> {
  const registrations = await followPages({
    read: (after) => audit.registrations({ tenantId, after, limit: REGISTRATIONS_AT_A_TIME }),
    keyOf: ({ auditId }) => auditId,
    isGood: isRegistrationProved,
    tell: ({ auditId, tenantId: owner, definition }) =>
      definition === null
        ? problemOf({ what: 'definition_removed', tenantId: owner, id: auditId })
        : problemOf({ what: 'definition_changed', tenantId: owner, id: definition.definitionId }),
  });
  if (registrations.problems.length > 0) return { ...NOTHING, problems: registrations.problems };
  const definitions = await followPages({
    read: (after) => audit.storedDefinitions({ tenantId, after, limit: DEFINITIONS_AT_A_TIME }),
    keyOf: ({ definitionId }) => definitionId,
    isGood: isIrIntact,
    tell: ({ definitionId: id, tenantId: owner }) =>
      problemOf({ what: 'definition_changed', tenantId: owner, id }),
  });
  if (definitions.problems.length > 0) {
    return { ...NOTHING, definitions: definitions.good, problems: definitions.problems };
  }
  const executions = await followPages({
    read: (after) => audit.storedExecutions({ tenantId, after, limit: EXECUTIONS_AT_A_TIME }),
    keyOf: ({ executionId }) => executionId,
    isGood: agreesWithEvents,
    tell: ({ executionId, tenantId: owner }) => ({
      ...problemOf({ what: 'execution_changed', tenantId: owner, id: executionId }),
      row: { id: executionId, executionId, sequence: null, createdAt: null },
    }),
  });
  return {
    definitions: definitions.good,
    executions: executions.good,
    problems: executions.problems,
  };
}

const NOTHING: RowsVerdict = { definitions: 0, executions: 0, problems: [] };

async function followPages<Row>(params: {
  readonly read: (after: string | null) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => string;
  readonly isGood: (row: Row) => boolean;
  readonly tell: (row: Row) => AuditProblem;
}): Promise<{ readonly good: number; readonly problems: readonly AuditProblem[] }> {
  const { read, keyOf, isGood, tell } = params;
  let good = 0;
  for (let after: string | null = null; ;) {
    const page: readonly Row[] = await read(after);
    const bad = page.filter((row) => !isGood(row));
    good += page.length - bad.length;
    if (bad.length > 0) return { good, problems: bad.map(tell) };
    const last = page.at(-1);
    if (last === undefined) return { good, problems: [] };
    after = keyOf(last);
  }
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
