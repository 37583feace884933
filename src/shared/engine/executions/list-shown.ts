import type { Reader } from '../caller.ts';
import type { ImportedExecution } from '../../domain/audit/imported-executions.ts';
import { dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { redact } from '../../domain/data-policy/redact.ts';
import type { TenantId, WorkItemId, ExecutionId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type {
  DeadLetter,
  ListExecutions,
  ListUpdated,
  ListDeadLetters,
  ListedRow,
} from '../../store/store.ts';
import { isUndo } from '../../domain/execution/fold/fold-undo.ts';
import type { EngineDeps } from '../deps.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import { redactRow, redactWait } from './redact-view.ts';
import { showUndoing, type ShownUndoing } from '../work/show-undo.ts';

export interface ListedExecution extends ListedRow {
  /** Null: it ran here. */
  readonly imported: ImportedExecution | null;
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
): Promise<readonly ListedExecution[]> {
  return showRows(deps, tenantId, await deps.store.executions.list({ ...params, tenantId }));
}

/** Rows of a tenant's list as their readers may see them. */
export async function showRows(
  deps: EngineDeps,
  tenantId: TenantId,
  rows: readonly ListedRow[],
): Promise<readonly ListedExecution[]> {
  if (rows.length === 0) return [];
  const executionIds = rows.map(({ executionId }) => executionId);
  const found = await deps.store.imports.find({ tenantId, executionIds });
  const imported = new Map(found.map((each) => [each.executionId, each]));
  return Promise.all(
    rows.map(async (row) => {
      const listed = { ...row, imported: imported.get(row.executionId) ?? null };
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

export interface ShownDeadLetter extends DeadLetter {
  /** Its node failed, but the execution continued. */
  readonly handled: boolean;
  /** The visit that it is to undo; null: it undoes none, or was given up. */
  readonly undoes: ShownUndoing | null;
}

export async function listDeadLetters(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: Omit<ListDeadLetters, 'tenantId'>,
): Promise<readonly ShownDeadLetter[]> {
  const letters = await deps.store.work.listDeadLetters({ ...params, tenantId });
  const byExecution = Map.groupBy(letters, ({ executionId }) => executionId);
  const readings = new Map(
    await Promise.all(
      [...byExecution].map(
        async ([id, own]) => [id, await readAround(deps, own, tenantId)] as const,
      ),
    ),
  );
  return letters.map((letter) => {
    const { plan = null, handled, undoes } = readings.get(letter.executionId) ?? {};
    const shown = {
      ...letter,
      handled: handled?.has(letter.workItemId) === true,
      undoes: undoes?.get(letter.workItemId) ?? null,
    };
    const node = plan?.nodes.get(letter.nodeId)?.dataPolicy ?? null;
    const policy = plan && dataPolicyOf({ workflow: plan.dataPolicy, node });
    if (policy === null) return shown;
    return { ...shown, error: redact(letter.error, policy, deps.pseudonym) as string };
  });
}

interface Around {
  readonly plan: Plan | null;
  readonly handled: ReadonlySet<WorkItemId>;
  readonly undoes: ReadonlyMap<WorkItemId, ShownUndoing>;
}

const NOTHING = { handled: new Set<WorkItemId>(), undoes: new Map<WorkItemId, ShownUndoing>() };

/** The state is folded only where a failure can have been handled, or an item can be an undo. */
async function readAround(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  tenantId: TenantId,
): Promise<Around> {
  const id = letters[0]?.executionId;
  const row = id === undefined ? null : await deps.store.executions.find(id, tenantId);
  if (row === null) return { plan: null, ...NOTHING };
  const { plan } = await deps.definitions.get(row.definitionId);
  const candidates = letters.filter(({ nodeId }) => mayBeHandled(plan, nodeId));
  // A cancel ends what was still waited for, and no failure has led on from there.
  if ((candidates.length === 0 && plan.undos.size === 0) || row.status === 'cancelled') {
    return { plan, ...NOTHING };
  }
  const loaded = await deps.store.executions.load(row.executionId, tenantId);
  if (loaded === null) return { plan, ...NOTHING };
  const { live, fatal } = foldLoaded(loaded, plan);
  const awaited = new Set([...live.values()].map(({ workItemId }) => workItemId));
  const handled = candidates.filter(({ nodeId, workItemId }) => {
    const endsIt = fatal !== null && [nodeId, mapOf(plan, nodeId)].includes(fatal.nodeId);
    return !endsIt && !awaited.has(workItemId);
  });
  const listed = new Set(letters.map(({ workItemId }) => workItemId));
  const undoes = new Map<WorkItemId, ShownUndoing>();
  for (const visit of live.values()) {
    if (!isUndo(visit) || visit.workItemId === null || !listed.has(visit.workItemId)) continue;
    undoes.set(visit.workItemId, await showUndoing(deps, { tenantId, plan, visit }));
  }
  return {
    plan,
    handled: new Set(handled.map(({ workItemId }) => workItemId)),
    undoes,
  };
}

/** By an edge for failures, or by the map whose item it was. */
function mayBeHandled(plan: Plan, nodeId: string): boolean {
  const edges = plan.nodes.get(nodeId)?.edges ?? [];
  return edges.some(({ on }) => on === 'failure') || mapOf(plan, nodeId) !== null;
}

function mapOf(plan: Plan, nodeId: string): string | null {
  return plan.nodes.get(nodeId)?.bodyOf ?? null;
}
