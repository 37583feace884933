import {
  DUE_LOOKED_AT_MAX,
  FLOW_WAITS_SHARE,
  QUEUES,
  type ClusterReading,
  type DueKind,
  type FlowWaitKind,
  type LiveStatus,
  type MemoryReading,
  type QueueReading,
  type ReadingBounds,
} from '../../readings/cluster-reading.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { tenantIsActive } from '../rows.ts';
import { lapsedLeases } from '../work/lease-sql.ts';

export async function readCluster(
  pool: PostgresPool,
  bounds: ReadingBounds,
): Promise<ClusterReading> {
  const [row] = await pool.run<ReadingRecord>(READING, [bounds.rows, bounds.groups]);
  if (row === undefined) throw new Error('the reading of the cluster has no row');
  const queues = JSON.parse(row.queues) as readonly QueueReading[];
  const executions = JSON.parse(row.executions) as Partial<Record<LiveStatus, number>>;
  const { running = 0, paused = 0 } = executions;
  return {
    queues: QUEUES.map(
      (queue) =>
        queues.find((read) => read.queue === queue) ?? {
          queue,
          waiting: 0,
          oldestMs: null,
          leased: 0,
        },
    ),
    executions: { running, paused },
    waitingChildren: row.waiting_children,
    waitingInFlow: JSON.parse(row.waiting_in_flow) as Record<FlowWaitKind, number>,
    waitingForQuota: row.waiting_for_quota,
    lateMs: JSON.parse(row.late) as Record<DueKind, number>,
    memory: JSON.parse(row.memory) as readonly MemoryReading[],
  };
}

interface ReadingRecord {
  /** JSON, all but the counts. */
  readonly queues: string;
  readonly executions: string;
  readonly waiting_children: number;
  readonly waiting_in_flow: string;
  readonly waiting_for_quota: number;
  readonly late: string;
  readonly memory: string;
}

/** By how much the oldest that is due is late; nothing is done for tenants that are not active. */
function late(table: string, column: string): string {
  return `
    coalesce((
      select greatest(0, extract(epoch from c.instant - d.due_at) * 1000)::int8
      from (
        select t.tenant_id, t.${column} as due_at
        from ${table} t
        order by t.${column}
        limit ${DUE_LOOKED_AT_MAX}
      ) d
      where ${tenantIsActive('d')}
      limit 1
    ), 0)`;
}

/** $1: rows counted of each kind, shared out among its groups · $2: groups looked at. */
const READING: Statement = {
  name: 'read-cluster',
  writes: false,
  text: `
    with recursive clock as materialized (
      select clock_timestamp() as instant
    ),
    leaps as (
      (
        select q.queue_key, q.priority
        from work_queue q
        order by q.queue_key, q.priority, q.seq
        limit 1
      )
      union all
      select n.queue_key, n.priority
      from leaps l
      cross join lateral (
        select q.queue_key, q.priority
        from work_queue q
        where (q.queue_key, q.priority) > (l.queue_key, l.priority)
        order by q.queue_key, q.priority, q.seq
        limit 1
      ) n
    ),
    places as materialized (
      select g.queue_key, g.priority,
        greatest(1, $1::int8 / count(*) over (partition by g.queue_key = 'engine')) as share
      from (select l.queue_key, l.priority from leaps l limit $2::int8) g
    ),
    waiting as materialized (
      select o.queue, o.enqueued_at, counted.items
      from places p
      cross join lateral (
        select f.queue, f.enqueued_at
        from (
          select q.queue, q.tenant_id, q.enqueued_at
          from work_queue q
          where q.queue_key = p.queue_key
            and q.priority = p.priority
          order by q.seq
          limit case when p.queue_key = 'engine' then ${DUE_LOOKED_AT_MAX} else 1 end
        ) f
        where ${tenantIsActive('f')}
          -- Below a quota an item does not wait for the engine.
          and (f.queue <> 'engine' or p.queue_key = 'engine')
        limit 1
      ) o
      cross join lateral (
        select count(*) as items
        from (
          select
          from work_queue q
          where q.queue_key = p.queue_key
            and q.priority = p.priority
          limit p.share
        ) taken
      ) counted
    ),
    leased as materialized (
      select s.queue, count(*) as items
      from (
        select l.queue from work_leases l limit $1::int8
      ) s
      group by s.queue
    ),
    queues as materialized (
      select w.queue, sum(w.items)::int8 as waiting, min(w.enqueued_at) as oldest_at
      from waiting w
      group by w.queue
    ),
    owners as (
      (select e.tenant_id from executions e order by e.tenant_id limit 1)
      union all
      select n.tenant_id
      from owners o
      cross join lateral (
        select e.tenant_id
        from executions e
        where e.tenant_id > o.tenant_id
        order by e.tenant_id
        limit 1
      ) n
    ),
    tenants_read as materialized (
      select g.tenant_id, greatest(1, $1::int8 / count(*) over ()) as share
      from (select o.tenant_id from owners o limit $2::int8) g
    ),
    live as materialized (
      select s.status, sum(counted.executions)::int8 as executions
      from tenants_read r
      cross join unnest(array['running', 'paused']) as s (status)
      cross join lateral (
        select count(*) as executions
        from (
          select
          from executions e
          where e.tenant_id = r.tenant_id
            and e.status = s.status
          limit r.share
        ) taken
      ) counted
      group by s.status
    ),
    memory as materialized (
      select t.limits ->> 'memory_tier' as tier, sum(u.live)::int8 as live, max(u.added) as added_max
      from (
        select m.tenant_id, m.live, m.added from memory_usage m order by m.tenant_id limit $1::int8
      ) u
      left join tenants t on t.id = u.tenant_id
      group by 1
    )
    select (
        select coalesce(json_agg(json_build_object(
          'queue', coalesce(q.queue, l.queue),
          'waiting', coalesce(q.waiting, 0),
          'oldestMs', (extract(epoch from c.instant - q.oldest_at) * 1000)::int8,
          'leased', coalesce(l.items, 0)
        )), '[]'::json)
        from queues q
        full join leased l on l.queue = q.queue
      ) as queues,
      (
        select coalesce(json_object_agg(l.status, l.executions), '{}'::json) from live l
      ) as executions,
      (
        select count(*)
        from (select from child_places p where p.state = 'waiting' limit $1::int8) w
      ) as waiting_children,
      (
        select json_build_object(
          'batch', count(w.batch_bytes),
          'debounce', count(*) filter (where w.due_at is not null and w.batch_bytes is null),
          'rate', count(*) filter (where w.due_at is null and w.places_max is null),
          'concurrency', count(*) filter (where w.due_at is null and w.places_max is not null)
        )
        from (
          select f.due_at, f.places_max, f.batch_bytes
          from flow_waits f
          limit ${FLOW_WAITS_SHARE} * $1::int8
        ) w
      ) as waiting_in_flow,
      (
        select count(*)
        from (
          select
          from work_queue q
          where q.queue_name is not null
            and strpos(q.queue_key, '#') > 0
          limit $1::int8
        ) w
      ) as waiting_for_quota,
      json_build_object(
        'lease', ${late(lapsedLeases('c.instant'), 'expires_at')},
        'timer', ${late('timers', 'due_at')},
        'retry', ${late('retry_timers', 'due_at')}
      ) as late,
      (
        select coalesce(json_agg(json_build_object(
          'tier', m.tier, 'live', m.live, 'addedMax', m.added_max
        )), '[]'::json)
        from memory m
      ) as memory
    from clock c`,
};
