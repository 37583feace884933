import type { Reader } from '../caller.ts';
import type { ImportedExecution } from '../../domain/audit/imported-executions.ts';
import type { TenantId, ExecutionId } from '../../domain/ids.ts';
import type { OpenApproval } from '../../store/readings/approvals.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ListExecutions, ListUpdated, ListDeadLetters, ListedRow } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';
import { redactRow, redactWait } from './redact-view.ts';
import { showDeadLetters, type ShownDeadLetter } from '../work/show-dead-letters.ts';

export interface ListedExecution extends ListedRow {
  /** Null: it ran here. */
  readonly imported: ImportedExecution | null;
}

export interface ShownInList extends ListedExecution {
  /** The oldest one that is open; null: it waits for nobody's decision. */
  readonly approval: OpenApproval | null;
}

export interface UpdatedIds {
  readonly updated: readonly { readonly executionId: ExecutionId; readonly updatedAt: string }[];
  readonly total: number;
}

/* Lists over many executions, each shown as the data policy of its own workflow lets it be seen. */

export async function listExecutions(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Omit<ListExecutions, 'tenantId'>,
): Promise<readonly ShownInList[]> {
  return showRows(deps, tenantId, await deps.store.executions.list({ ...params, tenantId }));
}

/** Rows of a tenant's list as their readers may see them. */
export async function showRows(
  deps: EngineDeps,
  tenantId: TenantId,
  rows: readonly ListedRow[],
): Promise<readonly ShownInList[]> {
  if (rows.length === 0) return [];
  const executionIds = rows.map(({ executionId }) => executionId);
  const [found, approvals] = await Promise.all([
    deps.store.imports.find({ tenantId, executionIds }),
    findApprovals(deps, tenantId, rows),
  ]);
  const imported = new Map(found.map((each) => [each.executionId, each]));
  return Promise.all(
    rows.map(async (row) => {
      const listed = {
        ...row,
        imported: imported.get(row.executionId) ?? null,
        approval: approvals.get(row.executionId) ?? null,
      };
      if (row.error === null && row.waitingFor === null) return listed;
      const { plan } = await deps.definitions.get(row.definitionId);
      return {
        ...listed,
        ...redactRow(row, plan, deps.pseudonym),
        waitingFor: redactWait(row.waitingFor, plan),
      };
    }),
  );
}

/** By execution; a page of ended ones costs no read. */
async function findApprovals(
  deps: EngineDeps,
  tenantId: TenantId,
  rows: readonly ListedRow[],
): Promise<ReadonlyMap<ExecutionId, OpenApproval>> {
  const live = rows.filter(({ status }) => !isTerminal(status));
  if (live.length === 0) return new Map();
  const executionIds = live.map(({ executionId }) => executionId);
  const open = await deps.store.approvals.findOldestOpen({ tenantId, executionIds });
  return new Map(open.map((each) => [each.executionId, each]));
}

export async function listUpdated(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Omit<ListUpdated, 'tenantId'>,
): Promise<UpdatedIds> {
  const { rows, total } = await deps.store.executions.listUpdated({ ...params, tenantId });
  const updated = rows.map(({ executionId, completedAt, updatedAt }) => ({
    executionId,
    updatedAt: completedAt ?? updatedAt,
  }));
  return { updated, total };
}

export async function listDeadLetters(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Omit<ListDeadLetters, 'tenantId'>,
): Promise<readonly ShownDeadLetter[]> {
  const letters = await deps.store.work.listDeadLetters({ ...params, tenantId });
  return showDeadLetters(deps, letters, tenantId);
}
