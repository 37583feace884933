import { COLUMN_TYPES, type Batch, type Column } from './commit-batch.ts';
import { ticketColumns } from './rows.ts';

/*
 * The text of the commit statement. One statement is one transaction and one snapshot; all its
 * parts see the tables as they were when it began, whatever they wait for meanwhile. Rows that are
 * locked (`for update`) or written are the exception: they are seen as they are once the lock is
 * had. The order of the parts follows from that:
 *
 * 1. `locked`: the executions, by id. From here on nobody else commits to them.
 * 2. `held`, `overdue`, `firing`: the leases, queued items and timers that plans rest on, locked and
 *    therefore as they are now. Executions come first and leases are taken by id, as everywhere, so
 *    there are no deadlocks.
 * 3. `clock`: the one instant of this statement, read when all locks are had.
 * 4. `judged`: the verdict of each plan; `accepted`: those that hold, with their execution changed.
 * 5. Everything else joins `accepted`, so a refused plan writes nothing.
 *
 * Rows are deleted before rows with the same key are inserted: a part that must come later counts
 * the rows of the earlier one, which runs it to its end.
 *
 * Revoking meets claims and promotions of retries, which move an item (retry timer → queue → lease)
 * without taking its execution. An item that moves between the statement's snapshot and its own
 * deletes is seen at its old place and is no longer there; `raced` finds that by counting, as well
 * as an execution that was changed between snapshot and lock (its new items would be invisible).
 * The statement then fails as a serialization failure, nothing of it remains, and it is sent again
 * with a fresh snapshot. Items move twice at most, so this ends.
 */

export interface CommitStatement {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly Column[];
}

/** A part of the statement is there when the column it starts from is not empty. */
const SECTIONS = [
  'new_plan',
  'request_plan',
  'settle_plan',
  'expire_plan',
  'revoke_execution',
  'ticket_plan',
  'item_plan',
  'fire_plan',
  'gone_timer_execution',
  'timer_plan',
  'output_plan',
  'snapshot_plan',
  'dead_plan',
] as const satisfies readonly Column[];

type Section = (typeof SECTIONS)[number];

/** Texts prepared on a connection cost it memory; past this many, the text with all parts serves. */
const TEXTS_MAX = 64;

const texts = new Map<number, CommitStatement>();

/** The statement with the parts that this batch needs. */
export function commitStatement(batch: Batch): CommitStatement {
  let mask = SECTIONS.reduce(
    (bits, section, index) => (batch[section].length > 0 ? bits | (1 << index) : bits),
    0,
  );
  if (!texts.has(mask) && texts.size >= TEXTS_MAX) mask = (1 << SECTIONS.length) - 1;
  let statement = texts.get(mask);
  if (statement === undefined) {
    const bits = mask;
    const has = (section: Section) => (bits & (1 << SECTIONS.indexOf(section))) !== 0;
    statement = { name: `commit-${mask}`, ...composeCommit(has) };
    texts.set(mask, statement);
  }
  return statement;
}

type Has = (section: Section) => boolean;

function composeCommit(has: Has): Omit<CommitStatement, 'name'> {
  const columns: Column[] = [];
  /** A parameter by the name of its column. */
  const $ = (column: Column): string => {
    if (!columns.includes(column)) columns.push(column);
    return `$${columns.indexOf(column) + 1}::${COLUMN_TYPES[column]}[]`;
  };
  const parts = [
    ...lockingParts(has, $),
    ...judgingParts(has, $),
    ...acceptingParts(has, $),
    ...deletingParts(has, $),
    ...workParts(has, $),
    ...recordingParts(has, $),
  ];
  return { text: `with ${parts.join(',\n')}\n${verdicts(has)}`, columns };
}

type Param = (column: Column) => string;

function lockingParts(has: Has, $: Param): string[] {
  const revokes = has('revoke_execution');
  const leases = [
    ...(has('settle_plan') ? [`select unnest(${$('settle_item')})`] : []),
    ...(revokes
      ? [
          `select unnest(${$('revoke_item')})`,
          `select l.work_item_id
           from work_leases l
           where l.execution_id = any(${$('revoke_all_execution')})`,
        ]
      : []),
  ];
  return [
    `plan as materialized (
      select p.position, p.id, p.tenant_id, p.is_new, p.expected, p.event_count, p.status, p.error,
        p.runnable, p.revokes_all
      from unnest(
        ${$('plan')}, ${$('plan_execution')}, ${$('plan_tenant')}, ${$('plan_new')},
        ${$('plan_expected')}, ${$('plan_events')}, ${$('plan_status')}, ${$('plan_error')},
        ${$('plan_runnable')}, ${$('plan_revokes_all')}
      ) as p (
        position, id, tenant_id, is_new, expected, event_count, status, error, runnable, revokes_all
      )
    )`,
    // By array and not by join, here and below: a kept plan must never walk a whole table.
    `locked as materialized (
      select e.id, e.tenant_id, e.status, e.last_sequence, e.xmin as version
      from executions e
      where e.id = any(${$('plan_execution')})
      order by e.id
      for no key update
    )`,
    ...(leases.length > 0
      ? [
          `held as materialized (
            select l.work_item_id, l.execution_id, l.lease_fence, l.expires_at
            from work_leases l
            where l.work_item_id = any(array(${leases.join(' union ')}))
              and ${after('locked')}
            order by l.work_item_id
            for update
          )`,
        ]
      : []),
    ...(has('expire_plan')
      ? [
          `overdue as materialized (
            select q.work_item_id, q.execution_id, q.start_before
            from work_queue q
            where q.work_item_id = any(${$('expire_item')})
              and ${after('locked')}
            order by q.work_item_id
            for update
          )`,
        ]
      : []),
    ...(has('fire_plan')
      ? [
          `firing as materialized (
            select t.execution_id, t.name, t.due_at
            from timers t
            where t.execution_id = any(${$('gone_timer_execution')})
              and t.name = any(${$('fire_name')})
              and ${after('locked')}
            order by t.execution_id, t.name
            for update
          )`,
        ]
      : []),
    `clock as materialized (
      select w.instant, date_trunc('milliseconds', w.instant) as stamp
      from (
        select clock_timestamp() as instant
        from (
          select (select count(*) from locked)
            ${leases.length > 0 ? '+ (select count(*) from held)' : ''}
            ${has('expire_plan') ? '+ (select count(*) from overdue)' : ''}
            ${has('fire_plan') ? '+ (select count(*) from firing)' : ''} as locks
          offset 0
        ) waited
        where waited.locks >= 0
        offset 0
      ) w
    )`,
  ];
}

function judgingParts(has: Has, $: Param): string[] {
  const stale = [
    ...(has('settle_plan')
      ? [
          `select s.position
           from unnest(
             ${$('settle_plan')}, ${$('settle_item')}, ${$('settle_fence')}, ${$('settle_if_expired')}
           ) as s (position, work_item_id, lease_fence, if_expired)
           join plan p on p.position = s.position
           left join held h
             on h.work_item_id = s.work_item_id
             and h.lease_fence = s.lease_fence
             and h.execution_id = p.id
           where h.work_item_id is null
             or (s.if_expired and h.expires_at > ${INSTANT})`,
        ]
      : []),
    ...(has('expire_plan')
      ? [
          `select x.position
           from unnest(${$('expire_plan')}, ${$('expire_item')}) as x (position, work_item_id)
           join plan p on p.position = x.position
           left join overdue o on o.work_item_id = x.work_item_id and o.execution_id = p.id
           where o.work_item_id is null
             or o.start_before is null
             or o.start_before > ${INSTANT}`,
        ]
      : []),
    ...(has('fire_plan')
      ? [
          `select f.position
           from unnest(${$('fire_plan')}, ${$('fire_name')}) as f (position, name)
           join plan p on p.position = f.position
           left join firing t on t.execution_id = p.id and t.name = f.name
           where t.name is null
             or t.due_at > ${INSTANT}`,
        ]
      : []),
  ];
  return [
    ...(stale.length > 0 ? [`stale as materialized (${stale.join(' union all ')})`] : []),
    `judged as materialized (
      select p.position, p.id, p.tenant_id, p.is_new, p.event_count, p.status, p.error, p.runnable,
        p.revokes_all,
        case
          when p.is_new and k.id is not null then 'exists'
          when p.is_new then null
          when k.id is null or k.tenant_id <> p.tenant_id then 'missing'
          when k.status in ('completed', 'failed', 'cancelled') then 'ended'
          when k.last_sequence <> p.expected then 'moved'
          ${stale.length > 0 ? `when p.position in (select position from stale) then 'stale'` : ''}
        end as reason
      from plan p
      left join locked k on k.id = p.id
    )`,
  ];
}

function acceptingParts(has: Has, $: Param): string[] {
  const asks = has('request_plan');
  return [
    ...(asks
      ? [
          `granted as (
            insert into request_keys as k (tenant_id, key, body_hash, execution_id, created_at)
            select j.tenant_id, r.key, r.body_hash, j.id, ${STAMP}
            from unnest(${$('request_plan')}, ${$('request_key')}, ${$('request_hash')})
              as r (position, key, body_hash)
            join judged j on j.position = r.position
            where j.reason is null
            order by j.tenant_id, r.key
            on conflict (tenant_id, key) do update
            set body_hash = excluded.body_hash,
              execution_id = excluded.execution_id,
              created_at = excluded.created_at
            where k.created_at <= excluded.created_at - interval '24 hours'
            returning k.execution_id
          )`,
        ]
      : []),
    ...(has('new_plan')
      ? [
          `created as (
            insert into executions (
              id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
              parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
            )
            select j.id, j.tenant_id, n.definition_id, n.workflow_id, n.workflow_version, n.shard,
              n.priority, n.parent_execution_id, coalesce(j.status, 'running'), j.event_count,
              j.error, ${STAMP}, ${STAMP},
              case when j.status in ('completed', 'failed', 'cancelled') then ${STAMP} end
            from unnest(
              ${$('new_plan')}, ${$('new_definition')}, ${$('new_workflow')}, ${$('new_version')},
              ${$('new_shard')}, ${$('new_priority')}, ${$('new_parent')}
            ) as n (
              position, definition_id, workflow_id, workflow_version, shard, priority,
              parent_execution_id
            )
            join judged j on j.position = n.position
            where j.reason is null
              ${
                asks
                  ? `and (
                       j.position <> all(${$('request_plan')})
                       or j.id in (select execution_id from granted)
                     )`
                  : ''
              }
            order by j.id
            on conflict (id) do nothing
            returning id, last_sequence, shard, updated_at
          )`,
        ]
      : []),
    // The tables of the hash join are the batch and the rows the array finds, never more.
    `updated as (
      update executions e
      set last_sequence = e.last_sequence + j.event_count,
        status = coalesce(j.status, e.status),
        error = coalesce(j.error, e.error),
        updated_at = greatest(${STAMP}, e.updated_at),
        completed_at = case
          when j.status in ('completed', 'failed', 'cancelled') then greatest(${STAMP}, e.updated_at)
          else e.completed_at
        end
      from judged j
      where e.id = any(${$('plan_execution')})
        and j.id = e.id
        and j.reason is null
        and not j.is_new
      returning e.id, e.last_sequence, e.shard, e.updated_at
    )`,
    `accepted as materialized (
      select j.position, j.id, j.tenant_id, j.status, j.runnable, j.revokes_all, u.shard,
        u.last_sequence, u.last_sequence - j.event_count as base, u.updated_at as stamp
      from judged j
      join (
        select id, last_sequence, shard, updated_at from updated
        ${has('new_plan') ? 'union all select id, last_sequence, shard, updated_at from created' : ''}
      ) u on u.id = j.id
    )`,
    `appended as (
      insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
      select a.id, a.base + v.ordinal, v.kind, v.node_id, v.payload, v.actor_id, a.stamp
      from unnest(
        ${$('event_plan')}, ${$('event_ordinal')}, ${$('event_kind')}, ${$('event_node')},
        ${$('event_payload')}, ${$('event_actor')}
      ) as v (position, ordinal, kind, node_id, payload, actor_id)
      join accepted a on a.position = v.position
    )`,
  ];
}

function deletingParts(has: Has, $: Param): string[] {
  const revokes = has('revoke_execution');
  const revoked = `select r.position, r.work_item_id
    from unnest(${revokes ? `${$('revoke_plan')}, ${$('revoke_item')}` : ''})
      as r (position, work_item_id)`;
  const parts: string[] = [];
  if (has('settle_plan') || revokes) {
    const ends = [
      ...(has('settle_plan')
        ? [
            `select s.position, s.work_item_id
             from unnest(${$('settle_plan')}, ${$('settle_item')}) as s (position, work_item_id)`,
          ]
        : []),
      ...(revokes ? [revoked] : []),
    ];
    parts.push(
      `dropped_leases as (
        delete from work_leases l
        where l.work_item_id = any(array(
          select h.work_item_id
          from held h
          join accepted a on a.id = h.execution_id
          where a.revokes_all
            or (a.position, h.work_item_id) in (${ends.join(' union all ')})
        ))
        returning l.work_item_id
      )`,
    );
  }
  if (has('expire_plan') || revokes) {
    const leaves = [
      ...(has('expire_plan')
        ? [
            `select x.position, x.work_item_id
             from unnest(${$('expire_plan')}, ${$('expire_item')}) as x (position, work_item_id)`,
          ]
        : []),
      ...(revokes ? [revoked] : []),
    ];
    const items = [
      ...(has('expire_plan') ? [`select unnest(${$('expire_item')})`] : []),
      ...(revokes ? [revokedIn('work_queue', $)] : []),
    ];
    parts.push(...droppingParts({ table: 'work_queue', items, leaves }));
  }
  if (revokes) {
    const items = [revokedIn('retry_timers', $)];
    parts.push(
      ...droppingParts({ table: 'retry_timers', items, leaves: [revoked] }),
      `seen as materialized (
        select e.id, e.xmin as version
        from executions e
        where e.id = any(${$('revoke_execution')})
      )`,
      `raced as materialized (
        select true as happened
        where (select count(*) from leaving_work_queue) <> (select count(*) from dropped_work_queue)
          or (select count(*) from leaving_retry_timers)
            <> (select count(*) from dropped_retry_timers)
          or exists (
            select
            from accepted a
            join locked k on k.id = a.id
            join seen s on s.id = a.id
            where s.version <> k.version
          )
      )`,
    );
  }
  if (has('gone_timer_execution')) {
    parts.push(
      `dropped_timers as (
        delete from timers t
        using accepted a
        where t.execution_id = any(${$('gone_timer_execution')})
          and a.id = t.execution_id
          and (
            a.revokes_all
            or (a.position, t.name) in (
              select g.position, g.name
              from unnest(${$('gone_timer_plan')}, ${$('gone_timer_name')}) as g (position, name)
            )
          )
        returning t.execution_id
      )`,
    );
  }
  return parts;
}

function revokedIn(table: 'work_queue' | 'retry_timers', $: Param): string {
  return `select unnest(${$('revoke_item')})
    union
    select o.work_item_id
    from ${table} o
    where o.execution_id = any(${$('revoke_all_execution')})`;
}

/** What the snapshot shows of a table, and the delete that says how much of it is still there. */
function droppingParts(params: {
  readonly table: 'work_queue' | 'retry_timers';
  readonly items: readonly string[];
  readonly leaves: readonly string[];
}): string[] {
  const { table, items, leaves } = params;
  return [
    `leaving_${table} as materialized (
      select q.work_item_id
      from ${table} q
      join accepted a on a.id = q.execution_id
      where q.work_item_id = any(array(${items.join(' union ')}))
        and (
          a.revokes_all
          or (a.position, q.work_item_id) in (${leaves.join(' union all ')})
        )
    )`,
    `dropped_${table} as (
      delete from ${table} q
      where q.work_item_id = any(array(select work_item_id from leaving_${table}))
      returning q.work_item_id
    )`,
  ];
}

function workParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  const dropsLeases = has('settle_plan') || has('revoke_execution');
  const dropsQueued = has('expire_plan') || has('revoke_execution');
  if (has('item_plan')) {
    parts.push(
      `described as (
        insert into work_items (
          work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool,
          payload, retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms,
          created_at
        )
        select i.work_item_id, a.id, a.tenant_id, i.node_id, i.visit, i.queue, i.idempotency_key,
          i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms, i.node_timeout_ms,
          i.schedule_to_start_ms, a.stamp
        from unnest(
          ${$('item_plan')}, ${$('item')}, ${$('item_node')}, ${$('item_visit')},
          ${$('item_queue')}, ${$('item_key')}, ${$('item_tool')}, ${$('item_payload')},
          ${$('item_retry_policy')}, ${$('item_heartbeat')}, ${$('item_node_timeout')},
          ${$('item_start_timeout')}
        ) as i (
          position, work_item_id, node_id, visit, queue, idempotency_key, tool, payload,
          retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms
        )
        join accepted a on a.position = i.position
      )`,
    );
  }
  if (has('ticket_plan')) {
    parts.push(
      `ticket as materialized (
        select t.ordinal, t.position, t.place, t.worker_id, t.ms, a.shard,
          case when t.place = 'lease' then nextval('lease_fence_seq') end as lease_fence,
          t.work_item_id, a.id as execution_id, a.tenant_id, t.node_id, t.visit, t.attempt, t.queue,
          t.priority, t.idempotency_key, t.node_timeout_ms, t.schedule_to_start_ms
        from unnest(
          ${$('ticket_plan')}, ${$('ticket_position')}, ${$('ticket_place')}, ${$('ticket_item')},
          ${$('ticket_node')}, ${$('ticket_visit')}, ${$('ticket_attempt')}, ${$('ticket_queue')},
          ${$('ticket_priority')}, ${$('ticket_key')}, ${$('ticket_node_timeout')},
          ${$('ticket_start_timeout')}, ${$('ticket_worker')}, ${$('ticket_ms')}
        ) as t (
          position, ordinal, place, work_item_id, node_id, visit, attempt, queue, priority,
          idempotency_key, node_timeout_ms, schedule_to_start_ms, worker_id, ms
        )
        join accepted a on a.position = t.position
      )`,
      `enqueued as (
        insert into work_queue (queue_key, shard, start_before, enqueued_at, ${ticketColumns()})
        select case when t.queue = 'engine' then 'engine' else t.tenant_id || '/' || t.queue end,
          t.shard, ${INSTANT} + t.schedule_to_start_ms * interval '1 millisecond', ${INSTANT},
          ${ticketColumns('t')}
        from ticket t
        where t.place = 'queue'
          and ${dropsQueued ? after('dropped_work_queue') : 'true'}
        order by t.ordinal
      )`,
      `born as (
        insert into work_leases (
          ${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at
        )
        select ${ticketColumns('t')}, t.worker_id, t.lease_fence, ${INSTANT},
          ${INSTANT} + least(t.ms, t.node_timeout_ms) * interval '1 millisecond',
          ${INSTANT} + t.node_timeout_ms * interval '1 millisecond'
        from ticket t
        where t.place = 'lease'
          and ${dropsLeases ? after('dropped_leases') : 'true'}
      )`,
      `postponed as (
        insert into retry_timers (shard, due_at, ${ticketColumns()})
        select t.shard, ${STAMP} + t.ms * interval '1 millisecond', ${ticketColumns('t')}
        from ticket t
        where t.place = 'retry'
          and ${has('revoke_execution') ? after('dropped_retry_timers') : 'true'}
      )`,
    );
  }
  if (has('timer_plan')) {
    parts.push(
      `started_timers as (
        insert into timers (execution_id, name, tenant_id, due_at, purpose, node_id, visit)
        select a.id, t.name, a.tenant_id,
          coalesce(t.until, ${STAMP} + t.delay_ms * interval '1 millisecond'), t.purpose, t.node_id,
          t.visit
        from unnest(
          ${$('timer_plan')}, ${$('timer_name')}, ${$('timer_delay')}, ${$('timer_until')},
          ${$('timer_purpose')}, ${$('timer_node')}, ${$('timer_visit')}
        ) as t (position, name, delay_ms, until, purpose, node_id, visit)
        join accepted a on a.position = t.position
        where ${has('gone_timer_execution') ? after('dropped_timers') : 'true'}
        on conflict (execution_id, name) do update
        set due_at = excluded.due_at,
          purpose = excluded.purpose,
          node_id = excluded.node_id,
          visit = excluded.visit
      )`,
    );
  }
  return parts;
}

function recordingParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  if (has('output_plan')) {
    // The first result under a key stays: that is what a replay must find.
    parts.push(
      `recorded as (
        insert into recorded_outputs (
          execution_id, idempotency_key, work_item_id, event_sequence, created_at
        )
        select a.id, o.idempotency_key, o.work_item_id, a.base + o.ordinal, a.stamp
        from unnest(
          ${$('output_plan')}, ${$('output_key')}, ${$('output_item')}, ${$('output_index')}
        ) as o (position, idempotency_key, work_item_id, ordinal)
        join accepted a on a.position = o.position
        on conflict (execution_id, idempotency_key) do nothing
      )`,
    );
  }
  if (has('snapshot_plan')) {
    parts.push(
      `folded as (
        insert into snapshots (execution_id, sequence, body)
        select a.id, a.last_sequence, s.body
        from unnest(${$('snapshot_plan')}, ${$('snapshot_body')}) as s (position, body)
        join accepted a on a.position = s.position
        on conflict (execution_id) do update
        set sequence = excluded.sequence,
          body = excluded.body
      )`,
    );
  }
  if (has('dead_plan')) {
    parts.push(
      `buried as (
        insert into dead_letters (
          work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
          dead_lettered_at
        )
        select i.work_item_id, i.execution_id, i.tenant_id, i.node_id, i.queue, i.tool, d.attempt,
          d.error, a.stamp
        from unnest(
          ${$('dead_plan')}, ${$('dead_item')}, ${$('dead_attempt')}, ${$('dead_error')}
        ) as d (position, work_item_id, attempt, error)
        join accepted a on a.position = d.position
        join work_items i on i.work_item_id = d.work_item_id and i.execution_id = a.id
        where i.work_item_id = any(${$('dead_item')})
        on conflict (work_item_id) do update
        set attempt = excluded.attempt,
          error = excluded.error,
          dead_lettered_at = excluded.dead_lettered_at
      )`,
    );
  }
  // An execution that has ended has nothing to decide, and no later commit could take the mark off.
  parts.push(
    `marked as (
      insert into runnable (execution_id, shard)
      select a.id, a.shard
      from accepted a
      where a.runnable = 'mark'
        and coalesce(a.status, 'running') in ('running', 'paused')
      order by a.position
      on conflict (execution_id) do nothing
    )`,
    `cleared as (
      delete from runnable r
      where r.execution_id = any(array(
        select a.id
        from accepted a
        where a.runnable = 'clear'
          or a.status in ('completed', 'failed', 'cancelled')
      ))
    )`,
  );
  return parts;
}

function verdicts(has: Has): string {
  const tickets = has('ticket_plan');
  return `select j.position, j.reason, a.last_sequence, a.stamp,
      a.position is not null as accepted,
      ${tickets ? `coalesce(f.fences, '{}')` : `'{}'::int8[]`} as fences
      ${has('request_plan') ? ', j.id in (select execution_id from granted) as granted' : ''}
      ${has('revoke_execution') ? ', (select fail_as_serialization() from raced) as raced' : ''}
    from judged j
    left join accepted a on a.position = j.position
    ${
      tickets
        ? `left join (
             select t.position, array_agg(t.lease_fence order by t.ordinal) as fences
             from ticket t
             where t.place = 'lease'
             group by t.position
           ) f on f.position = j.position`
        : ''
    }`;
}

const INSTANT = '(select instant from clock)';
/** The same to the millisecond, as events carry it. */
const STAMP = '(select stamp from clock)';

/** True, once the named part has run to its end. */
function after(part: string): string {
  return `(select count(*) from ${part}) >= 0`;
}
