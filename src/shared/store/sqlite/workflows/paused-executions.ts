import type { ExecutionId } from '../../../domain/ids.ts';
import type { WorkflowPause } from '../../../domain/workflow/workflow-pause.ts';
import type { FreePosition, WorkflowPauseStore } from '../../workflow-pauses.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

/* The executions of a paused workflow, free and held, and how far the sweep has come. */

export function listFree(
  connection: Connection,
  { pause, status, after, limit }: Parameters<WorkflowPauseStore['listFree']>[0],
): readonly FreePosition[] {
  return connection
    .all<{ readonly id: ExecutionId; readonly created_at: number }>(
      `select id, created_at
       from executions
       where tenant_id = :tenant_id
         and workflow_id = :workflow_id
         and status = :status
         and (:after_id is null or (created_at, id) < (:after_created_at, :after_id))
         and id not in (select execution_id from workflow_holds)
       order by created_at desc, id desc
       limit :limit`,
      {
        tenant_id: pause.tenantId,
        workflow_id: pause.workflowId,
        status,
        after_created_at: after === null ? null : Date.parse(after.createdAt),
        after_id: after?.executionId ?? null,
        limit,
      },
    )
    .map((row) => ({ executionId: row.id, createdAt: toIso(row.created_at) }));
}

export function listHeld(
  connection: Connection,
  { pause, after, limit }: Parameters<WorkflowPauseStore['listHeld']>[0],
): readonly ExecutionId[] {
  return connection
    .all<{ readonly execution_id: ExecutionId }>(
      `select execution_id
       from workflow_holds
       where tenant_id = :tenant_id
         and workflow_id = :workflow_id
         and execution_id > :after
       order by execution_id
       limit :limit`,
      {
        tenant_id: pause.tenantId,
        workflow_id: pause.workflowId,
        after: after ?? '',
        limit,
      },
    )
    .map((row) => row.execution_id);
}

export function noteSwept(connection: Connection, pause: WorkflowPause): void {
  connection.run(
    `update workflow_pauses
     set swept_at = :now
     where ${IS_THE}
       and swept_at is null
       and resumed_at is null`,
    { ...keyOf(pause), now: connection.now() },
  );
}

export function forget(
  connection: Connection,
  pause: WorkflowPause,
  executionIds: readonly ExecutionId[],
): void {
  connection.run(
    `delete from workflow_holds
     where execution_id in (select value from json_each(:ids))
       and exists (
         select 1
         from workflow_pauses
         where ${IS_THE}
           and resumed_at is not null
       )`,
    { ...keyOf(pause), ids: JSON.stringify(executionIds) },
  );
}

export function finish(connection: Connection, pause: WorkflowPause): boolean {
  const removed = connection.run(
    `delete from workflow_pauses
     where ${IS_THE}
       and resumed_at is not null
       and not exists (
         select 1
         from workflow_holds as h
         where h.tenant_id = :tenant_id and h.workflow_id = :workflow_id
       )`,
    keyOf(pause),
  );
  return removed > 0;
}

const IS_THE = `workflow_pauses.tenant_id = :tenant_id
       and workflow_pauses.workflow_id = :workflow_id
       and workflow_pauses.pause_id = :pause_id`;

function keyOf({ tenantId, workflowId, pauseId }: WorkflowPause) {
  return { tenant_id: tenantId, workflow_id: workflowId, pause_id: pauseId };
}
