import type { TenantId } from '../../../domain/ids.ts';
import type { StandingPause, WorkflowPause } from '../../../domain/workflow/workflow-pause.ts';
import type { WorkflowPauseStore } from '../../workflow-pauses.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';
import { finish, forget, listFree, listHeld, noteSwept } from './paused-executions.ts';

export function createWorkflowPauseStore(connection: Connection): WorkflowPauseStore {
  return {
    pause: (params) => connection.write(() => pauseWorkflow(connection, params)),
    resume: (params) => connection.write(() => resumeWorkflow(connection, params)),
    find: (params) => connection.read(() => findPauses(connection, params)),
    list: (params) => connection.read(() => listPauses(connection, params)),
    listFree: (params) => connection.read(() => listFree(connection, params)),
    listHeld: (params) => connection.read(() => listHeld(connection, params)),
    noteSwept: (pause) => connection.write(() => noteSwept(connection, pause)),
    forget: (pause, executionIds) =>
      connection.write(() => forget(connection, pause, executionIds)),
    finish: (pause) => connection.write(() => finish(connection, pause)),
  };
}

const COLUMNS = `
  tenant_id, workflow_id, pause_id, paused_by, reason, paused_at, swept_at, resumed_by, resumed_at`;

interface PauseRecord {
  readonly tenant_id: TenantId;
  readonly workflow_id: string;
  readonly pause_id: string;
  readonly paused_by: string;
  readonly reason: string | null;
  readonly paused_at: number;
  readonly swept_at: number | null;
  readonly resumed_by: string | null;
  readonly resumed_at: number | null;
}

interface WorkflowRef {
  readonly tenantId: TenantId;
  readonly workflowId: string;
}

/** The pause of the workflow, if one stands. */
export function findStandingPause(connection: Connection, of: WorkflowRef): StandingPause | null {
  const row = selectPause(connection, of);
  if (row === undefined || row.resumed_at !== null) return null;
  return { by: row.paused_by, reason: row.reason, pausedAt: toIso(row.paused_at) };
}

function selectPause(
  connection: Connection,
  { tenantId, workflowId }: WorkflowRef,
): PauseRecord | undefined {
  return connection.get<PauseRecord>(
    `select ${COLUMNS}
     from workflow_pauses
     where tenant_id = :tenant_id and workflow_id = :workflow_id`,
    { tenant_id: tenantId, workflow_id: workflowId },
  );
}

function pauseWorkflow(
  connection: Connection,
  params: Parameters<WorkflowPauseStore['pause']>[0],
): WorkflowPause | null {
  const present = selectPause(connection, params);
  if (present !== undefined && present.resumed_at === null) return decodePause(present);
  if (!isKnown(connection, params)) return null;
  const { tenantId, workflowId, pauseId, actorId, reason } = params;
  connection.run(
    `insert into workflow_pauses (
       tenant_id, workflow_id, pause_id, paused_by, reason, paused_at
     )
     values (:tenant_id, :workflow_id, :pause_id, :paused_by, :reason, :now)
     on conflict (tenant_id, workflow_id) do update
     set pause_id = excluded.pause_id,
       paused_by = excluded.paused_by,
       reason = excluded.reason,
       paused_at = excluded.paused_at,
       swept_at = null,
       resumed_by = null,
       resumed_at = null`,
    {
      tenant_id: tenantId,
      workflow_id: workflowId,
      pause_id: pauseId,
      paused_by: actorId,
      reason,
      now: connection.now(),
    },
  );
  return audited(connection, 'workflow_paused', params);
}

function isKnown(connection: Connection, { tenantId, workflowId }: WorkflowRef): boolean {
  const row = connection.get(
    `select 1
     from definitions
     where tenant_id = :tenant_id and workflow_id = :workflow_id
     limit 1`,
    { tenant_id: tenantId, workflow_id: workflowId },
  );
  return row !== undefined;
}

function resumeWorkflow(
  connection: Connection,
  params: Parameters<WorkflowPauseStore['resume']>[0],
): WorkflowPause | null {
  const resumed = connection.run(
    `update workflow_pauses
     set resumed_by = :resumed_by,
       resumed_at = :now
     where tenant_id = :tenant_id
       and workflow_id = :workflow_id
       and resumed_at is null`,
    {
      tenant_id: params.tenantId,
      workflow_id: params.workflowId,
      resumed_by: params.actorId,
      now: connection.now(),
    },
  );
  return resumed === 0 ? null : audited(connection, 'workflow_resumed', params);
}

/** Writes the change down, and answers the pause as it is now. */
function audited(
  connection: Connection,
  eventType: string,
  params: WorkflowRef & { readonly actorId: string },
): WorkflowPause {
  const row = selectPause(connection, params);
  if (row === undefined) throw new TypeError('the pause that was just written is missing');
  const { workflow_id, pause_id, reason } = row;
  appendAudit(connection, {
    tenantId: params.tenantId,
    executionId: null,
    eventType,
    actorId: params.actorId,
    payload: { workflow_id, pause_id, reason },
  });
  return decodePause(row);
}

function findPauses(
  connection: Connection,
  { tenantId, workflowIds, countMax }: Parameters<WorkflowPauseStore['find']>[0],
): readonly (WorkflowPause & { readonly held: number })[] {
  return connection
    .all<PauseRecord & { readonly held: number }>(
      `select ${COLUMNS}, (
         select count(*)
         from (
           select 1
           from workflow_holds as h
           where h.tenant_id = w.tenant_id and h.workflow_id = w.workflow_id
           limit :count_max
         )
       ) as held
       from workflow_pauses as w
       where tenant_id = :tenant_id
         and workflow_id in (select value from json_each(:workflow_ids))`,
      {
        tenant_id: tenantId,
        workflow_ids: JSON.stringify(workflowIds),
        count_max: countMax,
      },
    )
    .map((row) => ({ ...decodePause(row), held: row.held }));
}

function listPauses(
  connection: Connection,
  { after, limit }: Parameters<WorkflowPauseStore['list']>[0],
): readonly WorkflowPause[] {
  return connection
    .all<PauseRecord>(
      `select ${COLUMNS}
       from workflow_pauses
       where :tenant_id is null or (tenant_id, workflow_id) > (:tenant_id, :workflow_id)
       order by tenant_id, workflow_id
       limit :limit`,
      {
        tenant_id: after?.tenantId ?? null,
        workflow_id: after?.workflowId ?? null,
        limit,
      },
    )
    .map(decodePause);
}

function decodePause(row: PauseRecord): WorkflowPause {
  const { resumed_by: by, resumed_at: at } = row;
  return {
    tenantId: row.tenant_id,
    workflowId: row.workflow_id,
    pauseId: row.pause_id,
    by: row.paused_by,
    reason: row.reason,
    pausedAt: toIso(row.paused_at),
    sweptAt: toIsoOrNull(row.swept_at),
    resumed: by === null || at === null ? null : { by, at: toIso(at) },
  };
}
