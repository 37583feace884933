import { sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { WorkflowPause } from '../../../domain/workflow/workflow-pause.ts';
import type { FreePosition, WorkflowPauseStore } from '../../workflow-pauses.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

/* The executions of a paused workflow, free and held, and how far the sweep has come. */

const FreeRecord = z.object({ id: z.string(), created_at: z.string() });
const HeldRecord = z.object({ execution_id: z.string() });
const ChangedRecord = z.object({ changed: z.boolean() });

export const NOW = sql.fragment`date_trunc('milliseconds', clock_timestamp())`;

export async function listFree(
  management: Management,
  { pause, status, after, limit }: Parameters<WorkflowPauseStore['listFree']>[0],
): Promise<readonly FreePosition[]> {
  const behind =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(e.created_at, e.id) < (
          ${after.createdAt}::timestamptz, ${toUuid(after.executionId)}::uuid
        )`;
  const rows = await management.any(sql.type(FreeRecord)`
    select e.id, e.created_at
    from executions e
    where e.tenant_id = ${pause.tenantId}
      and e.workflow_id = ${pause.workflowId}
      and e.status = ${status}
      and ${behind}
      and not exists (select from workflow_holds h where h.execution_id = e.id)
    order by e.created_at desc, e.id desc
    limit ${limit}`);
  return rows.map((row) => ({
    executionId: executionIdFromUuid(row.id),
    createdAt: row.created_at,
  }));
}

export async function listHeld(
  management: Management,
  { pause, after, limit }: Parameters<WorkflowPauseStore['listHeld']>[0],
): Promise<readonly ExecutionId[]> {
  const behind =
    after === null ? sql.fragment`true` : sql.fragment`h.execution_id > ${toUuid(after)}::uuid`;
  const rows = await management.any(sql.type(HeldRecord)`
    select h.execution_id
    from workflow_holds h
    where h.tenant_id = ${pause.tenantId}
      and h.workflow_id = ${pause.workflowId}
      and ${behind}
    order by h.execution_id
    limit ${limit}`);
  return rows.map((row) => executionIdFromUuid(row.execution_id));
}

export async function noteSwept(management: Management, pause: WorkflowPause): Promise<void> {
  await management.any(
    sql.type(ChangedRecord)`
      update workflow_pauses w
      set swept_at = ${NOW}
      where ${isThe(pause)}
        and w.swept_at is null
        and w.resumed_at is null
      returning true as changed`,
    { writes: true },
  );
}

/** The lock prevents a new pause of the workflow, and new holds of these executions, meanwhile. */
export async function forget(
  management: Management,
  pause: WorkflowPause,
  executionIds: readonly ExecutionId[],
): Promise<void> {
  if (executionIds.length === 0) return;
  await management.any(
    sql.type(ChangedRecord)`
      with released as materialized (
        select w.pause_id
        from workflow_pauses w
        where ${isThe(pause)}
          and w.resumed_at is not null
        for share
      )
      delete from workflow_holds h
      where h.execution_id = any(${sql.array(executionIds.map(toUuid), 'uuid')})
        and exists (select from released)
      returning true as changed`,
    { writes: true },
  );
}

/** Nothing is held by a pause that is resumed, so what is held is known: see `commit/pauses.ts`. */
export async function finish(management: Management, pause: WorkflowPause): Promise<boolean> {
  const rows = await management.any(
    sql.type(ChangedRecord)`
      delete from workflow_pauses w
      where ${isThe(pause)}
        and w.resumed_at is not null
        and not exists (
          select
          from workflow_holds h
          where h.tenant_id = w.tenant_id
            and h.workflow_id = w.workflow_id
        )
      returning true as changed`,
    { writes: true },
  );
  return rows.length > 0;
}

function isThe({ tenantId, workflowId, pauseId }: WorkflowPause): FragmentSqlToken {
  return sql.fragment`w.tenant_id = ${tenantId}
    and w.workflow_id = ${workflowId}
    and w.pause_id = ${pauseId}::uuid`;
}
