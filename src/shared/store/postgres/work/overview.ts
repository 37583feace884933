import { ownQueueName } from '../../../domain/work/quota.ts';
import { executionIdFromUuid, type WorkItemId } from '../../../domain/ids.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkQueue } from '../../../domain/work/work-item.ts';
import { takePage } from '../../rows/take-page.ts';
import { gatherDepths, type CountedItems } from '../../rows/queue-depths.ts';
import {
  FAILED_WITHIN_MS,
  LAST_ITEM,
  type HeldLease,
  type LeasePlace,
  type WorkOverviewStore,
} from '../../readings/work-overview.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';
import { groupFailedItems } from './failed-items.ts';

const WORKER_QUEUES = ['python_tool', 'java_tool', 'function'] as const;

export function createWorkOverview(readers: PostgresPool): WorkOverviewStore {
  return {
    async readQueues({ tenantId, rowsMax }) {
      const keys = WORKER_QUEUES.map((queue) => queueKeyOf({ tenantId, queue }));
      const lastLeased = await findLeaseBound(readers, null, rowsMax);
      const values = [tenantId, keys, rowsMax + 1, FAILED_WITHIN_MS, lastLeased];
      const counted = await readers.run<CountedItems>(READ_QUEUES, values, tenantId);
      const { queues, isExact } = gatherDepths(counted, rowsMax);
      return { queues, isExact: isExact && lastLeased === null };
    },
    async listLeases({ tenantId, limit, workerId, after, within }) {
      const bound = await findLeaseBound(readers, after, within);
      const values = [tenantId, workerId, ...columnsOf(after), bound, limit + 1];
      const rows = await readers.run<LeaseRecord>(LIST_LEASES, values, tenantId);
      const { rows: leases, last } = takePage(rows.map(decodeLease), limit);
      if (last !== undefined) return { leases, next: last };
      if (bound === null) return { leases, next: null };
      return { leases, next: { executionId: executionIdFromUuid(bound), workItemId: LAST_ITEM } };
    },
    groupFailedItems: (params) => groupFailedItems(readers, params),
  };
}

/**
 * The last execution of which leases are read, with those of every tenant: no index has the tenant, as
 * each claim would write it. Null: there are no more leases than that.
 */
async function findLeaseBound(
  readers: PostgresPool,
  after: LeasePlace | null,
  within: number,
): Promise<string | null> {
  const values = [...columnsOf(after), within];
  const found = await readers.run<{ readonly execution_id: string }>(LEASE_BOUND, values);
  return found[0]?.execution_id ?? null;
}

function columnsOf(after: LeasePlace | null): readonly (string | null)[] {
  return after === null ? [null, null] : [toUuid(after.executionId), after.workItemId];
}

const LEASE_BOUND: Statement = {
  name: 'lease-bound',
  writes: false,
  text: `
    select l.execution_id
    from work_leases l
    where l.execution_id >= coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
      and ($1::uuid is null or (l.execution_id, '${LAST_ITEM}') > ($1, $2::uuid))
    order by l.execution_id
    offset $3::int4
    limit 1`,
};

/*
 * $1 tenant · $2 its default queues · $3 rows · $4 milliseconds · $5 the last execution of which leases
 * are counted. Named queues have an index of their own. The time is that of the statement, because an
 * index takes no volatile bound.
 */
const READ_QUEUES: Statement = {
  name: 'read-queues',
  writes: false,
  text: `
    with waiting as (
      (
        select q.queue, q.queue_name, q.tool, q.enqueued_at
        from work_queue q
        where q.queue_key = any($2)
        limit $3
      )
      union all
      (
        select q.queue, q.queue_name, q.tool, q.enqueued_at
        from work_queue q
        where q.tenant_id = $1
          and q.queue_name is not null
          and q.queue_key <> all($2)
          and q.queue <> 'engine'
        limit $3
      )
    ),
    leased as (
      select l.queue, i.queue_name, i.tool
      from work_leases l
      cross join lateral (
        select x.queue_name, x.tool
        from work_items x
        where x.work_item_id = l.work_item_id
        limit 1
      ) i
      where l.tenant_id = $1
        and l.execution_id <= coalesce($5::uuid, '${LAST_ITEM}')
        and l.queue <> 'engine'
      limit $3
    ),
    failed as (
      select d.queue, i.queue_name, d.tool
      from dead_letters d
      left join lateral (
        select x.queue_name
        from work_items x
        where x.work_item_id = d.work_item_id
        limit 1
      ) i on true
      where d.tenant_id = $1
        and d.dead_lettered_at > statement_timestamp() - $4::int8 * interval '1 millisecond'
      order by d.dead_lettered_at desc, d.work_item_id desc
      limit $3
    )
    select 'waiting' as what, w.queue, nullif(w.queue_name, 'default') as queue_name,
      coalesce(w.tool, '') as tool, count(*) as items,
      min(date_trunc('milliseconds', w.enqueued_at)) as oldest_at
    from waiting w
    group by 2, 3, 4
    union all
    select 'leased', l.queue, nullif(l.queue_name, 'default'), l.tool, count(*), null
    from leased l
    group by 2, 3, 4
    union all
    select 'failed', f.queue, nullif(f.queue_name, 'default'), f.tool, count(*), null
    from failed f
    group by 2, 3, 4`,
};

interface LeaseRecord {
  readonly work_item_id: WorkItemId;
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly node_id: string;
  readonly attempt: number;
  readonly queue: WorkQueue;
  readonly queue_name: string | null;
  readonly tool: string | null;
  readonly worker_id: string;
  readonly claimed_at: string;
  readonly expires_at: string;
  readonly deadline_at: string | null;
}

function decodeLease(row: LeaseRecord): HeldLease {
  return {
    workItemId: row.work_item_id,
    executionId: executionIdFromUuid(row.execution_id),
    workflowId: row.workflow_id,
    nodeId: row.node_id,
    attempt: row.attempt,
    queue: row.queue,
    queueName: ownQueueName(row.queue_name),
    tool: row.tool,
    workerId: row.worker_id,
    claimedAt: row.claimed_at,
    expiresAt: row.expires_at,
    deadlineAt: row.deadline_at,
  };
}

const LIST_LEASES: Statement = {
  name: 'list-leases',
  writes: false,
  text: `
    select l.work_item_id, l.execution_id, e.workflow_id, l.node_id, l.attempt, l.queue,
      i.queue_name, i.tool, l.worker_id, l.claimed_at, l.expires_at, l.deadline_at
    from (
      select *
      from work_leases
      where tenant_id = $1
        and ($2::text is null or worker_id = $2)
        and execution_id >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
        and execution_id <= coalesce($5::uuid, '${LAST_ITEM}')
        and ($3::uuid is null or (execution_id, work_item_id) > ($3, $4::uuid))
      order by execution_id, work_item_id
      limit $6
    ) l
    cross join lateral (
      select x.workflow_id
      from executions x
      where x.id = l.execution_id
      limit 1
    ) e
    left join lateral (
      select x.queue_name, x.tool
      from work_items x
      where x.work_item_id = l.work_item_id
      limit 1
    ) i on true
    order by l.execution_id, l.work_item_id`,
};
