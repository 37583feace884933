import {
  type ExecutionFacts,
  type ItemPlace,
  NOBODY,
  SERVING_MAX,
  type ServingWorker,
  type LastSeen,
} from '../../../domain/execution/explain/facts.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { WorkItemId } from '../../../domain/ids.ts';
import type { TenantStatus } from '../../../domain/tenant.ts';
import { type QueuedNames, readQueuedNames } from '../../../domain/work/quota.ts';
import type { WorkerQueue, WorkQueue } from '../../../domain/work/work-item.ts';
import {
  type ExecutionQuestion,
  LEASES_LOOKED_AT_MAX,
  POSITION_MAX,
  POSITIONS_MAX,
} from '../../readings/diagnosis.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { EVERY_TENANT } from '../connection/session.ts';
import { toUuid } from '../rows.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

/** One statement is one snapshot, so that everything fits together. */
export async function readExecutionFacts(
  pool: PostgresPool,
  { executionId, tenantId, workItemIds, timerNames }: ExecutionQuestion,
): Promise<ExecutionFacts | null> {
  const rows = await pool.run<FactRecord>(
    EXECUTION_FACTS,
    [toUuid(executionId), tenantId, workItemIds, timerNames, WORKER_SILENCE_MS_MAX],
    tenantId ?? EVERY_TENANT,
  );
  const [head] = rows;
  if (head?.fact !== 'execution') return null;
  const items = new Map<WorkItemId, ItemPlace>();
  const timers = new Map<string, string>();
  const workers = new Map<WorkerQueue, LastSeen>();
  const serving: ServingWorker[] = [];
  let schedulers = NOBODY;
  for (const row of rows) {
    const place = placeOf(row);
    if (place !== null) items.set(row.id as WorkItemId, place);
    else if (row.fact === 'timer') timers.set(row.id, given(row.until));
    else if (row.fact === 'workers') workers.set(row.id as WorkerQueue, lastSeenOf(row));
    else if (row.fact === 'serving') serving.push(servingOf(given(row.text)));
    else if (row.fact === 'schedulers') schedulers = lastSeenOf(row);
  }
  return {
    now: given(head.until),
    status: head.queue as ExecutionStatus,
    lastSequence: given(head.number),
    updatedAt: given(head.since),
    tenantStatus: given(head.text) as TenantStatus,
    isMarked: head.attempt === 1,
    items,
    timers,
    workers,
    serving,
    schedulers,
  };
}

/** The columns are shared by what is read; see the statement for what stands where. */
interface FactRecord {
  readonly fact:
    | 'execution'
    | 'queued'
    | 'leased'
    | 'retrying'
    | 'held'
    | 'dead'
    | 'timer'
    | 'workers'
    | 'serving'
    | 'schedulers';
  readonly id: string;
  readonly queue: string | null;
  readonly attempt: number | null;
  readonly number: number | null;
  readonly text: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly seen: string | null;
}

function placeOf(row: FactRecord): ItemPlace | null {
  const item = { queue: row.queue as WorkQueue, attempt: row.attempt ?? 0 };
  switch (row.fact) {
    case 'queued':
      return {
        is: 'queued',
        ...item,
        ...namesOf(given(row.text)),
        enqueuedAt: given(row.since),
        startBefore: row.until,
        position: row.number,
      };
    case 'leased':
      return {
        is: 'leased',
        ...item,
        workerId: given(row.text),
        leaseFence: given(row.number),
        claimedAt: given(row.since),
        expiresAt: given(row.until),
        holderSeenAt: row.seen,
      };
    case 'retrying':
      return { is: 'retrying', ...item, dueAt: given(row.until) };
    case 'held':
      return { is: 'held', ...item };
    case 'dead':
      return {
        is: 'dead_lettered',
        ...item,
        error: given(row.text),
        deadLetteredAt: given(row.since),
      };
    case 'execution':
    case 'timer':
    case 'workers':
    case 'serving':
    case 'schedulers':
      return null;
  }
}

function namesOf(text: string): QueuedNames & { readonly tool: string | null } {
  const row = JSON.parse(text) as {
    readonly tool: string | null;
    readonly queue_key: string;
    readonly queue_name: string | null;
  };
  return {
    tool: row.tool,
    ...readQueuedNames({ queueKey: row.queue_key, queueName: row.queue_name }),
  };
}

function servingOf(text: string): ServingWorker {
  const said = JSON.parse(text) as {
    readonly queue_types: readonly string[];
    readonly tools: readonly string[] | null;
    readonly queue_names: readonly string[] | null;
  };
  return {
    queueTypes: said.queue_types,
    filter: { tools: said.tools, queueNames: said.queue_names },
  };
}

function lastSeenOf({ number, since }: FactRecord): LastSeen {
  return { seen: number ?? 0, lastSeenAt: since };
}

function given<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('a column that is never null is null');
  return value;
}

/*
 * A worker that is busy with long items claims nothing and so is not seen: a holder of a lease of
 * the queue also counts as present. A dead letter counts only for an item without another place.
 */
const EXECUTION_FACTS: Statement = {
  name: 'execution-facts',
  writes: false,
  text: `
    with subject as materialized (
      select e.id, e.tenant_id, e.status, e.last_sequence, e.updated_at,
        clock_timestamp() as instant
      from executions e
      where e.id = $1
        and ($2::text is null or e.tenant_id = $2)
    ),
    queued as materialized (
      select q.work_item_id, q.queue_key, q.queue, q.attempt, q.priority, q.seq, q.enqueued_at,
        q.start_before, q.queue_name, row_number() over (order by q.priority, q.seq) as place
      from work_queue q
      where q.work_item_id = any($3::uuid[])
        and q.execution_id = $1
    ),
    tools as materialized (
      select q.name as queue, w.worker_id, w.last_heartbeat,
        w.last_heartbeat > s.instant - $5::int8 * interval '1 millisecond' as is_seen
      from subject s
      join workers w on w.tenant_id = s.tenant_id
      cross join lateral json_array_elements_text(w.queue_types) as q (name)
    ),
    found as (
      select 0 as part, 'execution' as fact, s.id::text as id, s.status as queue,
        (exists (select from runnable r where r.execution_id = $1))::int4 as attempt,
        s.last_sequence::int8 as number,
        coalesce((select n.status from tenants n where n.id = s.tenant_id), 'active') as text,
        s.updated_at as since, s.instant as until, null::timestamptz as seen
      from subject s
      union all
      select 1, 'queued', q.work_item_id::text, q.queue, q.attempt,
        case when (q.queue <> 'engine' or strpos(q.queue_key, '#') > 0)
          and q.place <= ${POSITIONS_MAX} then (
          select nullif(1 + count(*), ${POSITION_MAX} + 1)
          from (
            select
            from work_queue b
            where b.queue_key = q.queue_key
              and (b.priority, b.seq) < (q.priority, q.seq)
            limit ${POSITION_MAX}
          ) before
        ) end,
        json_build_object('queue_key', q.queue_key, 'queue_name', q.queue_name, 'tool', (
          select i.tool
          from work_items i
          where i.work_item_id = q.work_item_id
        ))::text, q.enqueued_at, q.start_before, null
      from queued q
      union all
      select 1, 'leased', l.work_item_id::text, l.queue, l.attempt, l.lease_fence, l.worker_id,
        l.claimed_at, l.expires_at, (
          select max(w.last_heartbeat)
          from workers w
          where w.worker_id = l.worker_id
            and (w.tenant_id is null or w.tenant_id = l.tenant_id)
        )
      from work_leases l
      where l.work_item_id = any($3::uuid[])
        and l.execution_id = $1
      union all
      select 1, case when r.held_due_at is null then 'retrying' else 'held' end,
        r.work_item_id::text, r.queue, r.attempt, null, null, null, r.due_at, null
      from retry_timers r
      where r.work_item_id = any($3::uuid[])
        and r.execution_id = $1
      union all
      select 1, 'dead', d.work_item_id::text, d.queue, d.attempt, null, d.error,
        d.dead_lettered_at, null, null
      from dead_letters d
      where d.work_item_id = any($3::uuid[])
        and d.execution_id = $1
        and not exists (select from work_queue q where q.work_item_id = d.work_item_id)
        and not exists (
          select
          from work_leases l
          where l.work_item_id = d.work_item_id
            and l.execution_id = $1
        )
        and not exists (select from retry_timers r where r.work_item_id = d.work_item_id)
      union all
      select 1, 'timer', t.name, null, null, null, null, null, t.due_at, null
      from timers t
      where t.execution_id = $1
        and t.name = any($4::text[])
        and t.left_ms is null
      union all
      select 1, 'workers', n.queue, null, null,
        (select count(*) from tools t where t.queue = n.queue and t.is_seen)
          + (
            select count(*)
            from (
              select distinct l.worker_id
              from (
                select h.worker_id, h.tenant_id, h.queue, h.expires_at
                from work_leases h
                order by h.expires_at desc
                limit ${LEASES_LOOKED_AT_MAX}
              ) l
              where l.tenant_id = s.tenant_id
                and l.queue = n.queue
                and l.expires_at > s.instant
                and not exists (
                  select from tools t
                  where t.worker_id = l.worker_id
                    and t.queue = n.queue
                    and t.is_seen
                )
            ) holders
          ),
        null, (select max(t.last_heartbeat) from tools t where t.queue = n.queue), null, null
      from subject s
      cross join (select distinct q.queue from queued q where q.queue <> 'engine') n
      union all
      (
        select 1, 'serving', w.worker_id, null, null, null,
          json_build_object(
            'queue_types', w.queue_types, 'tools', w.tools, 'queue_names', w.queue_names
          )::text,
          w.last_heartbeat, null, null
        from subject s
        join workers w on w.tenant_id = s.tenant_id
        where w.last_heartbeat > s.instant - $5::int8 * interval '1 millisecond'
          and exists (select from queued q where q.queue <> 'engine')
        limit ${SERVING_MAX}
      )
      union all
      select 1, 'schedulers', '', null, null,
        count(*) filter (
          where w.last_heartbeat > s.instant - $5::int8 * interval '1 millisecond'
        ),
        null, max(w.last_heartbeat), null, null
      from subject s
      join workers w on w.tenant_id is null
      where w.role in ('scheduler', 'all')
      group by s.id
    )
    select f.fact, f.id, f.queue, f.attempt, f.number, f.text, f.since, f.until, f.seen
    from found f
    order by f.part`,
};
