import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { TerminalStatus } from '../../../domain/execution/status.ts';
import {
  uuidFloor,
  type RetentionScan,
  type RetentionStore,
  type ScannedExecutions,
} from '../../retention.ts';
import { readHistories } from '../audit/items.ts';
import { sealedUntil } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { measure } from '../executions/measure-executions.ts';
import { listPolicies, removePolicy, setPolicy } from './policies.ts';
import { EARLIER_RUN, MAY_BE_RETIRED, NEXT_RUN } from './conditions.ts';
import { retireExecutions } from './retire.ts';
import { toIso } from '../rows.ts';

export function createRetentionStore(connection: Connection): RetentionStore {
  return {
    listPolicies: (params) => connection.read(() => listPolicies(connection, params)),
    setPolicy: (policy) => connection.write(() => setPolicy(connection, policy)),
    removePolicy: (params) => connection.write(() => removePolicy(connection, params)),

    nextTenant: (after) =>
      connection.read(() => {
        const row = connection.get<{ readonly tenant_id: TenantId | null }>(
          'select min(tenant_id) as tenant_id from executions where tenant_id > :after',
          { after: after ?? '' },
        );
        return row?.tenant_id ?? null;
      }),

    scan: (params) => connection.read(() => scan(connection, params)),
    histories: (ids) => connection.read(() => readHistories(connection, ids)),
    retire: (retiring) => connection.write(() => retireExecutions(connection, retiring)),
    forgetReplays: (params) => connection.write(() => forgetReplays(connection, params)),
    partitionEvents: async () => 'unsupported',
    tendPartitions: async () => ({ made: 0, dropped: 0, shrunk: 0, sweptEvents: 0, postponed: 0 }),
    listPartitions: async () => [],
    measure: (ids) => connection.read(() => measure(connection, ids)),
  };
}

interface ScannedRecord {
  readonly id: ExecutionId;
  readonly workflow_id: string;
  readonly status: TerminalStatus;
  readonly last_sequence: number;
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly is_due: 0 | 1;
  readonly parent: ExecutionId | null;
  readonly earlier: ExecutionId | null;
  readonly leads: 0 | 1;
}

function scan(connection: Connection, params: RetentionScan): ScannedExecutions {
  const { tenantId, workflowId, status, olderThanMs, defaults, ageMsMin, after, limit } = params;
  const rows = connection.all<ScannedRecord>(
    `with scanned as materialized (
       select e.id, coalesce(
         :older_than_ms,
         86400000 * case e.status
           when 'completed' then
             coalesce(w.completed_days, t.completed_days, :completed_days)
           when 'failed' then coalesce(w.failed_days, t.failed_days, :failed_days)
           when 'cancelled' then
             coalesce(w.cancelled_days, t.cancelled_days, :cancelled_days)
         end
       ) as kept_ms
       from (
         select x.*
         from executions as x
         where x.tenant_id = :tenant_id
           and x.created_at <= :now - :age_ms_min
           and (:after_created_at is null
             or (x.created_at, x.id) > (:after_created_at, :after_id))
         order by x.created_at, x.id
         limit :limit
       ) as e
       left join retention_policies as w
         on w.tenant_id = e.tenant_id and w.workflow_id = e.workflow_id
       left join retention_policies as t on t.tenant_id = e.tenant_id and t.workflow_id = ''
     )
     select e.id, e.workflow_id, e.status, e.last_sequence, e.created_at, e.completed_at,
       coalesce(
         (:workflow_id is null or e.workflow_id = :workflow_id)
           and (:status is null or e.status = :status)
           and r.kept_ms > 0
           and e.completed_at <= :now - r.kept_ms
           and not exists (
             select 1
             from imported_executions as m
             where m.execution_id = e.id
               and m.imported_at > :now - r.kept_ms
           )
           and ${MAY_BE_RETIRED},
         0
       ) as is_due,
       (select p.id from executions as p where p.id = e.parent_execution_id) as parent,
       ${EARLIER_RUN} as earlier,
       ${NEXT_RUN} is not null
         -- It may have been tried again.
         or e.status <> 'completed'
         or exists (select 1 from executions as c where c.parent_execution_id = e.id) as leads
     from scanned as r
     join executions as e on e.id = r.id
     order by e.created_at, e.id`,
    {
      tenant_id: tenantId,
      workflow_id: workflowId,
      status,
      older_than_ms: olderThanMs,
      completed_days: defaults.completed,
      failed_days: defaults.failed,
      cancelled_days: defaults.cancelled,
      now: connection.now(),
      sealed_until: sealedUntil(connection),
      age_ms_min: ageMsMin,
      after_created_at: after === null ? null : Date.parse(after.createdAt),
      after_id: after?.executionId ?? null,
      limit,
    },
  );
  const last = rows.at(-1);
  return {
    due: rows
      .filter((row) => row.is_due === 1)
      .map((row) => ({
        executionId: row.id,
        tenantId,
        workflowId: row.workflow_id,
        status: row.status,
        lastSequence: row.last_sequence,
        completedAt: toIso(row.completed_at ?? 0),
        behind: [row.parent, row.earlier].filter((id) => id !== null),
        leads: row.leads === 1,
      })),
    next:
      last === undefined || rows.length < limit
        ? null
        : { createdAt: toIso(last.created_at), executionId: last.id },
  };
}

function forgetReplays(
  connection: Connection,
  { endedMs, after, limit }: Parameters<RetentionStore['forgetReplays']>[0],
): Awaited<ReturnType<RetentionStore['forgetReplays']>> {
  const now = connection.now();
  const page = connection.all<{
    readonly execution_id: ExecutionId;
    readonly idempotency_key: string;
    readonly is_over: 0 | 1;
  }>(
    `select r.execution_id, r.idempotency_key,
       coalesce(e.completed_at <= :now - :ended_ms, 0) as is_over
     from recorded_outputs as r
     left join executions as e on e.id = r.execution_id
     where r.execution_id < :until
       and (:after_key is null or (r.execution_id, r.idempotency_key) > (:after_id, :after_key))
     order by r.execution_id, r.idempotency_key
     limit :limit`,
    {
      now,
      ended_ms: endedMs,
      until: `exec_${uuidFloor(now - endedMs).replaceAll('-', '')}`,
      after_id: after?.executionId ?? null,
      after_key: after?.idempotencyKey ?? null,
      limit,
    },
  );
  let deleted = 0;
  for (const row of page) {
    if (row.is_over === 0) continue;
    deleted += connection.run(
      'delete from recorded_outputs where execution_id = ? and idempotency_key = ?',
      [row.execution_id, row.idempotency_key],
    );
  }
  const last = page.at(-1);
  if (last === undefined || page.length < limit) return { deleted, next: null };
  const { execution_id: executionId, idempotency_key: idempotencyKey } = last;
  return { deleted, next: { executionId, idempotencyKey } };
}
