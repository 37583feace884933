import { sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';

import type { TenantId } from '../../../domain/ids.ts';
import type { WorkflowPause } from '../../../domain/workflow/workflow-pause.ts';
import type { WorkflowPauseStore } from '../../workflow-pauses.ts';
import { appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';
import { finish, forget, listFree, listHeld, noteSwept, NOW } from './paused-executions.ts';

const PauseRecord = z.object({
  tenant_id: z.string(),
  workflow_id: z.string(),
  pause_id: z.string(),
  paused_by: z.string(),
  reason: z.string().nullable(),
  paused_at: z.string(),
  swept_at: z.string().nullable(),
  resumed_by: z.string().nullable(),
  resumed_at: z.string().nullable(),
});

const FoundRecord = PauseRecord.extend({ held: z.int() });
const KnownRecord = z.object({ known: z.boolean() });

const COLUMNS = sql.fragment`
  w.tenant_id, w.workflow_id, w.pause_id, w.paused_by, w.reason, w.paused_at, w.swept_at,
  w.resumed_by, w.resumed_at`;

/** How often others may resume and pause it again meanwhile. */
const TRIES_MAX = 50;

export function createWorkflowPauseStore(management: Management): WorkflowPauseStore {
  return {
    pause: (params) => pauseWorkflow(management, params),
    resume: (params) => resumeWorkflow(management, params),
    find: (params) => findPauses(management, params),
    list: (params) => listPauses(management, params),
    listFree: (params) => listFree(management, params),
    listHeld: (params) => listHeld(management, params),
    noteSwept: (pause) => noteSwept(management, pause),
    forget: (pause, executionIds) => forget(management, pause, executionIds),
    finish: (pause) => finish(management, pause),
  };
}

async function pauseWorkflow(
  management: Management,
  params: Parameters<WorkflowPauseStore['pause']>[0],
): Promise<WorkflowPause | null> {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const row = (await begin(management, params)) ?? (await findStanding(management, params));
    if (row !== null) return row;
    if (!(await isKnown(management, params))) return null;
  }
  throw new Error(`the pause of ${params.workflowId} was taken ${TRIES_MAX} times in a row`);
}

/** Null: one stands, or there is no such workflow. One that is being resumed is taken over. */
async function begin(
  management: Management,
  params: Parameters<WorkflowPauseStore['pause']>[0],
): Promise<WorkflowPause | null> {
  const { tenantId, workflowId, pauseId, actorId, reason } = params;
  const [row] = await management.any(
    sql.type(PauseRecord)`
      with begun as (
        insert into workflow_pauses as w (
          tenant_id, workflow_id, pause_id, paused_by, reason, paused_at
        )
        select ${tenantId}, ${workflowId}, ${pauseId}::uuid, ${actorId}, ${reason}::text, ${NOW}
        where exists (
          select
          from definitions d
          where d.tenant_id = ${tenantId}
            and d.workflow_id = ${workflowId}
        )
        on conflict (tenant_id, workflow_id) do update
        set pause_id = excluded.pause_id,
          paused_by = excluded.paused_by,
          reason = excluded.reason,
          paused_at = excluded.paused_at,
          swept_at = null,
          resumed_by = null,
          resumed_at = null
        where w.resumed_at is not null
        returning ${COLUMNS}
      ),
      audited as (${audited('workflow_paused', params, sql.fragment`begun w`)})
      select ${COLUMNS}
      from begun w`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodePause(row);
}

async function findStanding(
  management: Management,
  { tenantId, workflowId }: { readonly tenantId: TenantId; readonly workflowId: string },
): Promise<WorkflowPause | null> {
  const [row] = await management.any(
    sql.type(PauseRecord)`
      select ${COLUMNS}
      from workflow_pauses w
      where w.tenant_id = ${tenantId}
        and w.workflow_id = ${workflowId}
        and w.resumed_at is null`,
    { tenant: tenantId },
  );
  return row === undefined ? null : decodePause(row);
}

async function isKnown(
  management: Management,
  { tenantId, workflowId }: { readonly tenantId: TenantId; readonly workflowId: string },
): Promise<boolean> {
  const [row] = await management.any(
    sql.type(KnownRecord)`
      select exists (
        select
        from definitions d
        where d.tenant_id = ${tenantId}
          and d.workflow_id = ${workflowId}
      ) as known`,
    { tenant: tenantId },
  );
  return row?.known ?? false;
}

async function resumeWorkflow(
  management: Management,
  params: Parameters<WorkflowPauseStore['resume']>[0],
): Promise<WorkflowPause | null> {
  const { tenantId, workflowId, actorId } = params;
  const [row] = await management.any(
    sql.type(PauseRecord)`
      with ended as (
        update workflow_pauses w
        set resumed_by = ${actorId},
          resumed_at = ${NOW}
        where w.tenant_id = ${tenantId}
          and w.workflow_id = ${workflowId}
          and w.resumed_at is null
        returning ${COLUMNS}
      ),
      audited as (${audited('workflow_resumed', params, sql.fragment`ended w`)})
      select ${COLUMNS}
      from ended w`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodePause(row);
}

function audited(
  eventType: string,
  { tenantId, actorId }: { readonly tenantId: TenantId; readonly actorId: string },
  from: FragmentSqlToken,
): FragmentSqlToken {
  return appendAuditOf(
    { tenantId, executionId: null, eventType, actorId },
    {
      payload: sql.fragment`json_build_object(
        'workflow_id', w.workflow_id, 'pause_id', w.pause_id, 'reason', w.reason
      )`,
      from,
    },
  );
}

async function findPauses(
  management: Management,
  { tenantId, workflowIds, countMax }: Parameters<WorkflowPauseStore['find']>[0],
): Promise<readonly (WorkflowPause & { readonly held: number })[]> {
  const rows = await management.any(
    sql.type(FoundRecord)`
      select ${COLUMNS}, (
        select count(*)::int4
        from (
          select
          from workflow_holds h
          where h.tenant_id = w.tenant_id
            and h.workflow_id = w.workflow_id
          limit ${countMax}
        ) c
      ) as held
      from workflow_pauses w
      where w.tenant_id = ${tenantId}
        and w.workflow_id = any(${sql.array([...workflowIds], 'text')})`,
    { tenant: tenantId },
  );
  return rows.map((row) => ({ ...decodePause(row), held: row.held }));
}

async function listPauses(
  management: Management,
  { after, limit }: Parameters<WorkflowPauseStore['list']>[0],
): Promise<readonly WorkflowPause[]> {
  const rows = await management.any(sql.type(PauseRecord)`
    select ${COLUMNS}
    from workflow_pauses w
    where ${after?.tenantId ?? null}::text is null
      or (w.tenant_id, w.workflow_id) > (${after?.tenantId ?? null}, ${after?.workflowId ?? null})
    order by w.tenant_id, w.workflow_id
    limit ${limit}`);
  return rows.map(decodePause);
}

function decodePause(row: z.infer<typeof PauseRecord>): WorkflowPause {
  const { resumed_by: by, resumed_at: at } = row;
  return {
    tenantId: row.tenant_id as TenantId,
    workflowId: row.workflow_id,
    pauseId: row.pause_id,
    by: row.paused_by,
    reason: row.reason,
    pausedAt: row.paused_at,
    sweptAt: row.swept_at,
    resumed: by === null || at === null ? null : { by, at },
  };
}
