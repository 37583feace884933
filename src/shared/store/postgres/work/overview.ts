import { executionIdFromUuid, type DefinitionId, type WorkItemId } from '../../../domain/ids.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkQueue } from '../../../domain/work/work-item.ts';
import { gatherDepths, type CountedItems } from '../../rows/queue-depths.ts';
import {
  FAILED_WITHIN_MS,
  type Failure,
  type HeldLease,
  type WorkOverviewStore,
} from '../../readings/work-overview.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

const WORKER_QUEUES = ['python_tool', 'java_tool', 'function'] as const;

export function createWorkOverview(readers: PostgresPool): WorkOverviewStore {
  return {
    async readQueues({ tenantId, rowsMax }) {
      const keys = WORKER_QUEUES.map((queue) => queueKeyOf({ tenantId, queue }));
      const values = [tenantId, keys, rowsMax + 1, FAILED_WITHIN_MS];
      return gatherDepths(await readers.run<CountedItems>(READ_QUEUES, values, tenantId), rowsMax);
    },
    async listLeases({ tenantId, limit, workerId, after }) {
      const values = [tenantId, workerId, after, limit];
      const rows = await readers.run<LeaseRecord>(LIST_LEASES, values, tenantId);
      return rows.map(decodeLease);
    },
    async listFailures({ tenantId, since, limit }) {
      const values = [tenantId, since, limit];
      const rows = await readers.run<FailureRecord>(LIST_FAILURES, values, tenantId);
      return rows.map(decodeFailure);
    },
  };
}

/*
 * $1 tenant · $2 its default queues · $3 rows · $4 milliseconds. Named queues have an index of their
 * own. The time is that of the statement, because an index takes no volatile bound. All leases are
 * read, as for the list of workers: there are as many as items at work.
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
    queueName: row.queue_name,
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
        and ($3::uuid is null or work_item_id > $3)
      order by work_item_id
      limit $4
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
    order by l.work_item_id`,
};

interface FailureRecord {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly definition_id: DefinitionId;
  readonly error: string;
  readonly failed_at: string;
  readonly work_item_id: WorkItemId | null;
  readonly node_id: string | null;
  readonly tool: string | null;
  readonly queue: WorkQueue | null;
  readonly is_live: boolean;
}

function decodeFailure(row: FailureRecord): Failure {
  const { work_item_id: workItemId, node_id: nodeId, tool, queue, is_live: isLive } = row;
  const isItem = workItemId !== null && nodeId !== null && tool !== null && queue !== null;
  return {
    executionId: executionIdFromUuid(row.execution_id),
    workflowId: row.workflow_id,
    definitionId: row.definition_id,
    error: row.error,
    failedAt: row.failed_at,
    item: isItem ? { workItemId, nodeId, tool, queue, isLive } : null,
  };
}

/* Failed executions are found by their beginning, as no index has their end. */
const LIST_FAILURES: Statement = {
  name: 'list-failures',
  writes: false,
  text: `
    (
      select d.execution_id, e.workflow_id, e.definition_id, d.error,
        d.dead_lettered_at as failed_at, d.work_item_id, d.node_id, d.tool, d.queue,
        e.status in ('running', 'paused') as is_live
      from dead_letters d
      cross join lateral (
        select x.workflow_id, x.definition_id, x.status
        from executions x
        where x.id = d.execution_id
        limit 1
      ) e
      where d.tenant_id = $1
        and d.dead_lettered_at >= $2
      order by d.dead_lettered_at desc, d.work_item_id desc
      limit $3
    )
    union all
    (
      select e.id, e.workflow_id, e.definition_id, coalesce(e.error, ''), e.completed_at, null,
        null, null, null, false
      from executions e
      where e.tenant_id = $1
        and e.status = 'failed'
        and e.created_at >= $2
      order by e.created_at desc, e.id desc
      limit $3
    )
    order by failed_at desc`,
};
