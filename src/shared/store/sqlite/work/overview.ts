import { ownQueueName } from '../../../domain/work/quota.ts';
import type { ExecutionId, WorkItemId } from '../../../domain/ids.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkQueue } from '../../../domain/work/work-item.ts';
import { takePage } from '../../rows/take-page.ts';
import { gatherDepths, type CountedItems } from '../../rows/queue-depths.ts';
import {
  FAILED_WITHIN_MS,
  type HeldLease,
  LAST_ITEM,
  type LeasePage,
  type LeasePlace,
  type ListLeases,
  type QueueDepths,
  type WorkOverviewStore,
} from '../../readings/work-overview.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { groupFailedItems } from './failed-items.ts';

export function createWorkOverview(connection: Connection): WorkOverviewStore {
  return {
    readQueues: (params) => connection.read(() => readQueues(connection, params)),
    listLeases: (params) => connection.read(() => listLeases(connection, params)),
    groupFailedItems: (params) => connection.read(() => groupFailedItems(connection, params)),
  };
}

type RawCount = Omit<CountedItems, 'oldest_at'> & { readonly oldest_at: number | null };

function readQueues(
  connection: Connection,
  { tenantId, rowsMax }: Parameters<WorkOverviewStore['readQueues']>[0],
): QueueDepths {
  const lastLeased = findLeaseBound(connection, null, rowsMax);
  const rows = connection.all<RawCount>(READ_QUEUES, {
    tenant_id: tenantId,
    python: queueKeyOf({ tenantId, queue: 'python_tool' }),
    java: queueKeyOf({ tenantId, queue: 'java_tool' }),
    function: queueKeyOf({ tenantId, queue: 'function' }),
    rows: rowsMax + 1,
    failed_since: connection.now() - FAILED_WITHIN_MS,
    last_leased: lastLeased,
  });
  const counted = rows.map((row) => ({
    ...row,
    oldest_at: row.oldest_at === null ? null : toIso(row.oldest_at),
  }));
  const { queues, isExact } = gatherDepths(counted, rowsMax);
  return { queues, isExact: isExact && lastLeased === null };
}

/**
 * The last execution of which leases are read, with those of every tenant: no index has the tenant, as
 * each claim would write it. Null: there are no more leases than that.
 */
function findLeaseBound(
  connection: Connection,
  after: LeasePlace | null,
  within: number,
): ExecutionId | null {
  const [found] = connection.all<{ readonly execution_id: ExecutionId }>(LEASE_BOUND, {
    after_execution: after?.executionId ?? null,
    after_item: after?.workItemId ?? null,
    within,
  });
  return found?.execution_id ?? null;
}

/** Exported for a test of its plan. */
export const LEASE_BOUND = `
  select execution_id
  from work_leases
  where execution_id >= coalesce(:after_execution, '')
    and (:after_execution is null
      or (execution_id, '${LAST_ITEM}') > (:after_execution, :after_item))
  order by execution_id
  limit 1 offset :within`;

const READ_QUEUES = `
  with waiting as (
    select *
    from (
      select queue, queue_name, tool, enqueued_at
      from work_queue
      where queue_key in (:python, :java, :function)
      limit :rows
    )
    union all
    select *
    from (
      select queue, queue_name, tool, enqueued_at
      from work_queue
      where tenant_id = :tenant_id
        and queue_name is not null
        and queue_key not in (:python, :java, :function)
        and queue <> 'engine'
      limit :rows
    )
  ),
  leased as (
    select l.queue, i.queue_name, i.tool
    from work_leases l
    join work_items i on i.work_item_id = l.work_item_id
    where l.tenant_id = :tenant_id
      and l.execution_id <= coalesce(:last_leased, '~')
      and l.queue <> 'engine'
    limit :rows
  ),
  failed as (
    select d.queue, i.queue_name, d.tool
    from dead_letters d
    left join work_items i on i.work_item_id = d.work_item_id
    where d.tenant_id = :tenant_id and d.dead_lettered_at > :failed_since
    order by d.dead_lettered_at desc, d.work_item_id desc
    limit :rows
  )
  select 'waiting' as what, queue, nullif(queue_name, 'default') as queue_name,
    coalesce(tool, '') as tool, count(*) as items, min(enqueued_at) as oldest_at
  from waiting
  group by 2, 3, 4
  union all
  select 'leased', queue, nullif(queue_name, 'default'), tool, count(*), null
  from leased
  group by 2, 3, 4
  union all
  select 'failed', queue, nullif(queue_name, 'default'), tool, count(*), null
  from failed
  group by 2, 3, 4`;

interface RawLease {
  readonly work_item_id: WorkItemId;
  readonly execution_id: ExecutionId;
  readonly workflow_id: string;
  readonly node_id: string;
  readonly attempt: number;
  readonly queue: WorkQueue;
  readonly queue_name: string | null;
  readonly tool: string | null;
  readonly worker_id: string;
  readonly claimed_at: number;
  readonly expires_at: number;
  readonly deadline_at: number | null;
}

function listLeases(connection: Connection, params: ListLeases): LeasePage {
  const { tenantId, workerId, after, limit, within } = params;
  const bound = findLeaseBound(connection, after, within);
  const read = connection
    .all<RawLease>(LIST_LEASES, {
      tenant_id: tenantId,
      worker_id: workerId,
      after_execution: after?.executionId ?? null,
      after_item: after?.workItemId ?? null,
      bound,
      limit: limit + 1,
    })
    .map(decodeLease);
  const { rows: leases, last } = takePage(read, limit);
  if (last !== undefined) return { leases, next: last };
  return { leases, next: bound === null ? null : { executionId: bound, workItemId: LAST_ITEM } };
}

function decodeLease(row: RawLease): HeldLease {
  return {
    workItemId: row.work_item_id,
    executionId: row.execution_id,
    workflowId: row.workflow_id,
    nodeId: row.node_id,
    attempt: row.attempt,
    queue: row.queue,
    queueName: ownQueueName(row.queue_name),
    tool: row.tool,
    workerId: row.worker_id,
    claimedAt: toIso(row.claimed_at),
    expiresAt: toIso(row.expires_at),
    deadlineAt: row.deadline_at === null ? null : toIso(row.deadline_at),
  };
}

/** Exported for a test of its plan. */
export const LIST_LEASES = `
  select l.work_item_id, l.execution_id, e.workflow_id, l.node_id, l.attempt, l.queue,
    i.queue_name, i.tool, l.worker_id, l.claimed_at, l.expires_at, l.deadline_at
  from work_leases l
  join executions e on e.id = l.execution_id
  left join work_items i on i.work_item_id = l.work_item_id
  where l.tenant_id = :tenant_id
    and (:worker_id is null or l.worker_id = :worker_id)
    and l.execution_id >= coalesce(:after_execution, '')
    and l.execution_id <= coalesce(:bound, '~')
    and (:after_execution is null
      or (l.execution_id, l.work_item_id) > (:after_execution, :after_item))
  order by l.execution_id, l.work_item_id
  limit :limit`;
