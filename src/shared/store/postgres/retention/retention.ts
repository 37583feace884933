import { sql } from 'slonik';
import { z } from 'zod';

import { TERMINAL_STATUSES } from '../../../domain/execution/status.ts';
import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import {
  uuidFloor,
  type RetentionScan,
  type RetentionStore,
  type Retiring,
  type ScannedExecutions,
} from '../../retention.ts';
import { readHistories } from '../audit/items.ts';
import type { LentSettings } from '../connection/connect.ts';
import { listPartitions, partitionEvents, tendPartitions } from './event-partitions.ts';
import type { Management } from '../connection/management.ts';
import { measure } from '../executions/measure-executions.ts';
import { listPolicies, removePolicy, setPolicy } from './policies.ts';
import { toUuid } from '../rows.ts';

const TenantRecord = z.object({ tenant_id: z.string().nullable() });

const ScannedRecord = z.object({
  id: z.string(),
  workflow_id: z.string(),
  status: z.string(),
  last_sequence: z.int(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
  is_due: z.boolean(),
  parent: z.string().nullable(),
  earlier: z.string().nullable(),
  leads: z.boolean(),
});

const RetiredRecord = z.object({ retired: z.int() });

const ForgottenRecord = z.object({
  deleted: z.int(),
  seen: z.int(),
  execution_id: z.string().nullable(),
  idempotency_key: z.string().nullable(),
});

export function createRetentionStore(
  management: Management,
  settings: LentSettings,
): RetentionStore {
  return {
    listPolicies: (params) => listPolicies(management, params),
    setPolicy: (policy) => setPolicy(management, policy),
    removePolicy: (params) => removePolicy(management, params),

    async nextTenant(after) {
      const [row] = await management.any(sql.type(TenantRecord)`
        select min(e.tenant_id) as tenant_id
        from executions e
        where e.tenant_id > ${after ?? ''}`);
      return (row?.tenant_id ?? null) as TenantId | null;
    },

    scan: (params) => scan(management, params),
    histories: (ids) => readHistories(management, ids.map(toUuid)),
    retire: (retiring) => retire(management, retiring),
    forgetReplays: (params) => forgetReplays(management, params),
    partitionEvents: (params) => partitionEvents(management, settings, params),
    tendPartitions: (params) => tendPartitions(management, settings, params),
    listPartitions: () => listPartitions(management),
    measure: (ids) => measure(management, ids),
  };
}

async function scan(management: Management, params: RetentionScan): Promise<ScannedExecutions> {
  const { tenantId, workflowId, status, olderThanMs, defaults, ageMsMin, after, limit } = params;
  const rows = await management.any(sql.type(ScannedRecord)`
    with scanned as materialized (
      select e.id
      from executions e
      where e.tenant_id = ${tenantId}
        -- Read once: a call in the condition would keep the index from ending the scan there.
        and e.created_at <= (
          select clock_timestamp() - ${ageMsMin}::int8 * interval '1 millisecond'
        )
        and (${after?.createdAt ?? null}::timestamptz is null
          or (e.created_at, e.id) > (
            ${after?.createdAt ?? null}::timestamptz, ${after && toUuid(after.executionId)}::uuid
          ))
      order by e.created_at, e.id
      limit ${limit}
    ),
    judged as materialized (
      select e as execution, e.id, e.workflow_id, e.status, e.last_sequence, e.created_at,
        e.completed_at,
        (${workflowId}::text is null or e.workflow_id = ${workflowId})
          and (${status}::text is null or e.status = ${status})
          and e.completed_at is not null
          and r.kept_ms > 0
          and e.completed_at <= clock_timestamp() - r.kept_ms * interval '1 millisecond'
          and not exists (
            select
            from imported_executions m
            where m.execution_id = e.id
              and m.imported_at > clock_timestamp() - r.kept_ms * interval '1 millisecond'
          )
          as is_due
      from scanned s
      join executions e on e.id = s.id
      left join retention_policies w
        on w.tenant_id = e.tenant_id and w.workflow_id = e.workflow_id
      left join retention_policies t on t.tenant_id = e.tenant_id and t.workflow_id = ''
      cross join lateral (
        select coalesce(
          ${olderThanMs}::int8,
          86400000::int8 * case e.status
            when 'completed' then
              coalesce(w.completed_days, t.completed_days, ${defaults.completed}::int)
            when 'failed' then coalesce(w.failed_days, t.failed_days, ${defaults.failed}::int)
            when 'cancelled' then
              coalesce(w.cancelled_days, t.cancelled_days, ${defaults.cancelled}::int)
          end
        ) as kept_ms
      ) r
    )
    select j.id, j.workflow_id, j.status, j.last_sequence, j.created_at, j.completed_at,
      coalesce(f.is_due, false) as is_due, f.parent, f.earlier, coalesce(f.leads, false) as leads
    from judged j
    left join lateral (
      select may_be_retired(j.execution) as is_due,
        (
          select p.id
          from executions p
          where p.id = (j.execution).parent_execution_id
        ) as parent,
        earlier_run(j.id) as earlier,
        next_run(j.execution) is not null
          -- It may have been tried again.
          or j.status <> 'completed'
          or exists (select from executions c where c.parent_execution_id = j.id) as leads
      -- Without the offset, the planner calls the functions for every row and then looks at is_due.
      where j.is_due
      offset 0
    ) f on true
    order by j.created_at, j.id`);
  const last = rows.at(-1);
  return {
    due: rows
      .filter((row) => row.is_due)
      .map((row) => ({
        executionId: executionIdFromUuid(row.id),
        tenantId,
        workflowId: row.workflow_id,
        status: z.enum(TERMINAL_STATUSES).parse(row.status),
        lastSequence: row.last_sequence,
        completedAt: row.completed_at ?? '',
        behind: [row.parent, row.earlier].filter((id) => id !== null).map(executionIdFromUuid),
        leads: row.leads,
      })),
    next:
      last === undefined || rows.length < limit
        ? null
        : { createdAt: last.created_at, executionId: executionIdFromUuid(last.id) },
  };
}

async function retire(management: Management, retiring: Retiring): Promise<boolean> {
  const { retirementId, tenantId, actorId, told, executions } = retiring;
  const leaving = executions.map(({ executionId, lastSequence, eventHashes }) => ({
    id: toUuid(executionId),
    sequence: lastSequence,
    hashes: eventHashes,
  }));
  const [row] = await management.any(
    sql.type(RetiredRecord)`
    select retire_executions(
      ${retirementId}::uuid, ${tenantId}, ${actorId}, ${JSON.stringify(told)}::json,
      ${JSON.stringify(leaving)}::json
    ) as retired`,
    { writes: true },
  );
  return (row?.retired ?? 0) > 0;
}

async function forgetReplays(
  management: Management,
  { endedMs, after, limit }: Parameters<RetentionStore['forgetReplays']>[0],
): ReturnType<RetentionStore['forgetReplays']> {
  const [row] = await management.any(
    sql.type(ForgottenRecord)`
    with page as materialized (
      select r.execution_id, r.idempotency_key
      from recorded_outputs r
      where r.execution_id < ${uuidFloor(Date.now() - endedMs)}::uuid
        and (${after?.idempotencyKey ?? null}::text is null
          or (r.execution_id, r.idempotency_key) > (
            ${after && toUuid(after.executionId)}::uuid, ${after?.idempotencyKey ?? null}
          ))
      order by r.execution_id, r.idempotency_key
      limit ${limit}
    ),
    gone as (
      delete from recorded_outputs r
      using page p
      join executions e on e.id = p.execution_id
      where r.execution_id = p.execution_id
        and r.idempotency_key = p.idempotency_key
        and e.completed_at <= clock_timestamp() - ${endedMs}::int8 * interval '1 millisecond'
      returning r.execution_id
    )
    select (select count(*) from gone) as deleted, (select count(*) from page) as seen,
      l.execution_id, l.idempotency_key
    from (select) o
    left join (
      select p.execution_id, p.idempotency_key
      from page p
      order by p.execution_id desc, p.idempotency_key desc
      limit 1
    ) l on true`,
    { writes: true },
  );
  if (row === undefined) return { deleted: 0, next: null };
  const { deleted, seen, execution_id: last, idempotency_key: idempotencyKey } = row;
  if (seen < limit || last === null || idempotencyKey === null) return { deleted, next: null };
  return { deleted, next: { executionId: executionIdFromUuid(last), idempotencyKey } };
}
