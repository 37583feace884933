import { dataPolicyOf } from '../domain/data-policy/data-policy.ts';
import { redact } from '../domain/data-policy/redact.ts';
import type { DeadLetter, ListExecutions, ListUpdated, WorkStore } from '../store/store.ts';
import type { EngineDeps } from './deps.ts';
import type { ListedExecution, UpdatedIds } from './engine.ts';
import { redactRow } from './redact-view.ts';

/* Lists over many executions, each shown as the data policy of its own workflow lets it be seen. */

export async function listExecutions(
  deps: EngineDeps,
  params: ListExecutions,
): Promise<readonly ListedExecution[]> {
  const { executions, imports } = deps.store;
  const rows = await executions.list(params);
  if (rows.length === 0) return [];
  const executionIds = rows.map(({ executionId }) => executionId);
  const found = await imports.find({ tenantId: params.tenantId, executionIds });
  const imported = new Map(found.map((each) => [each.executionId, each]));
  return Promise.all(
    rows.map(async (row) => {
      const listed = { ...row, imported: imported.get(row.executionId) ?? null };
      if (row.error === null) return listed;
      const { plan } = await deps.definitions.get(row.definitionId);
      return { ...listed, ...redactRow(row, plan, deps.pseudonym) };
    }),
  );
}

export async function listUpdated(deps: EngineDeps, params: ListUpdated): Promise<UpdatedIds> {
  const { rows, total } = await deps.store.executions.listUpdated(params);
  const updated = rows.map(({ executionId, completedAt, updatedAt }) => ({
    executionId,
    updatedAt: completedAt ?? updatedAt,
  }));
  return { updated, total };
}

export async function listDeadLetters(
  deps: EngineDeps,
  params: Parameters<WorkStore['listDeadLetters']>[0],
): Promise<readonly DeadLetter[]> {
  const letters = await deps.store.work.listDeadLetters(params);
  const ids = [...new Set(letters.map(({ executionId }) => executionId))];
  const plans = new Map(
    await Promise.all(
      ids.map(async (id) => {
        const row = await deps.store.executions.find(id, params.tenantId);
        const found = row && (await deps.definitions.get(row.definitionId));
        return [id, found?.plan ?? null] as const;
      }),
    ),
  );
  return letters.map((letter) => {
    const plan = plans.get(letter.executionId) ?? null;
    const node = plan?.nodes.get(letter.nodeId)?.dataPolicy ?? null;
    const policy = plan && dataPolicyOf({ workflow: plan.dataPolicy, node });
    if (policy === null) return letter;
    return { ...letter, error: redact(letter.error, policy, deps.pseudonym) as string };
  });
}
