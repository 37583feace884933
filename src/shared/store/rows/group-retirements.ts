import type { RetiredExecution, Retirement } from '../../domain/audit/retired-executions.ts';

/** A removed execution's rows of a statement, beside the audit entry of its removal. */
export interface RetirementRow {
  readonly retirement_id: string;
  /** Null: there is no such entry. */
  readonly told_tenant_id: string | null;
  readonly told_digest: string | null;
}

export function groupRetirements<Row extends RetirementRow>(
  rows: readonly Row[],
  decode: (row: Row) => RetiredExecution,
): readonly Retirement[] {
  return [...Map.groupBy(rows, (row) => row.retirement_id)].map(([retirementId, all]) => {
    const [first] = all;
    return {
      retirementId,
      told:
        first === undefined || first.told_tenant_id === null
          ? null
          : { tenantId: first.told_tenant_id, digest: first.told_digest ?? '' },
      executions: all.map(decode),
    };
  });
}
