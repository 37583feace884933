import { after, INSTANT, namesOf, spell, STAMP, type Has, type Param } from './parts.ts';
import { HELD_DUE_AT, NEXT_FENCE, shareOrderOf, ticketColumns, toolOf } from '../rows.ts';
import { expiryOf, leaseInsertColumns } from '../work/lease-sql.ts';

/*
 * The items and timers of accepted plans. Deletions come first, so that a plan may end an item or a
 * timer and begin it again under the same name.
 */

export function deletingParts(has: Has, $: Param): string[] {
  const revokes = has('revokes');
  const revoked = revokes
    ? `select r.position, r.work_item_id from ${$.table('revokesItems', 'r')}`
    : '';
  const parts: string[] = [];
  if (has('settles') || revokes) {
    const ends = [
      ...(has('settles')
        ? [
            `select s.position, s.work_item_id
             from ${$.table('settles', 's', ['position', 'work_item_id'])}`,
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
          and l.execution_id = any(${$.array('plans', 'execution_id')})
        returning l.work_item_id
      )`,
    );
  }
  if (has('expires') || revokes) {
    const leaves = [
      ...(has('expires')
        ? [
            `select x.position, x.work_item_id
             from ${$.table('expires', 'x')}`,
          ]
        : []),
      ...(revokes ? [revoked] : []),
    ];
    const items = [
      ...(has('expires') ? [`select unnest(${$.array('expires', 'work_item_id')})`] : []),
      ...(revokes ? [revokedIn('work_queue', $)] : []),
    ];
    parts.push(...droppingParts({ table: 'work_queue', items, leaves }));
  }
  if (revokes) {
    const items = [revokedIn('retry_timers', $)];
    parts.push(...droppingParts({ table: 'retry_timers', items, leaves: [revoked] }));
  }
  return parts;
}

function revokedIn(table: 'work_queue' | 'retry_timers', $: Param): string {
  return `select unnest(${$.array('revokesItems', 'work_item_id')})
    union
    select o.work_item_id
    from ${table} o
    where o.execution_id = any(${$.array('revokesAll', 'execution_id')})`;
}

/** The rows of a table in the snapshot, and the delete that counts how many of them still exist. */
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

export function workParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  const dropsLeases = has('settles') || has('revokes');
  const dropsQueued = has('expires') || has('revokes');
  const { expiresAt, deadlineAt } = expiryOf('t', INSTANT);
  if (has('items')) {
    parts.push(
      `described as (
        insert into work_items (execution_id, tenant_id, ${spell(namesOf('items'))}, created_at)
        select a.id, a.tenant_id, ${spell(namesOf('items'), 'i')}, a.stamp
        from ${$.table('items', 'i')}
        join accepted a on a.position = i.position
      )`,
    );
  }
  if (has('tickets')) {
    parts.push(
      `ticket as materialized (
        select t.position, ${spell(namesOf('tickets'), 't')}, a.id as execution_id, a.tenant_id,
          a.shard, case when t.place = 'lease' then ${NEXT_FENCE} end as lease_fence
        from ${$.table('tickets', 't')}
        join accepted a on a.position = t.position
      )`,
      `enqueued as (
        insert into work_queue (
          queue_key, queue_name, tool, shard, start_before, enqueued_at, ${ticketColumns()}
        )
        select t.queue_key, t.queue_name, coalesce(t.tool, ${toolOf('t')}), t.shard,
          ${INSTANT} + t.schedule_to_start_ms * interval '1 millisecond', ${INSTANT},
          ${ticketColumns('t')}
        from ticket t
        where t.place = 'queue'
          and ${dropsQueued ? after('dropped_work_queue') : 'true'}
        order by ${shareOrderOf('t')}, t.ordinal
      )`,
      `born as (
        insert into leases (${leaseInsertColumns()}, claim_id)
        select ${ticketColumns('t')}, t.worker_id, t.lease_fence, ${INSTANT}, ${expiresAt},
          ${deadlineAt}, ${expiresAt}, t.claim_id
        from ticket t
        where t.place = 'lease'
          and ${dropsLeases ? after('dropped_leases') : 'true'}
      )`,
      `postponed as (
        insert into retry_timers (
          shard, due_at, held_due_at, queue_seq, queued_at, released_fence, queue_name,
          ${ticketColumns()}
        )
        select t.shard, case when t.is_held then ${HELD_DUE_AT} else d.due_at end,
          case when t.is_held then d.due_at end, t.seq, t.queued_at, t.fence, t.queue_name,
          ${ticketColumns('t')}
        from ticket t
        cross join lateral (
          select ${STAMP} + t.ms * interval '1 millisecond' as due_at
        ) d
        where t.place = 'retry'
          and ${has('revokes') ? after('dropped_retry_timers') : 'true'}
      )`,
    );
  }
  return parts;
}

export function timerParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  if (has('losesTimers')) {
    parts.push(
      `dropped_timers as (
        delete from timers t
        using accepted a
        where t.execution_id = any(${$.array('losesTimers', 'execution_id')})
          and a.id = t.execution_id
          and (
            a.revokes_all
            or (a.position, t.name) in (
              select g.position, g.name
              from ${$.table('goneTimers', 'g')}
            )
          )
        returning t.execution_id
      )`,
    );
  }
  if (has('timers')) {
    parts.push(
      `started_timers as (
        insert into timers (execution_id, name, tenant_id, due_at, purpose, node_id, visit)
        select coalesce(t.of_execution, a.id), t.name, a.tenant_id,
          coalesce(t.until, ${STAMP} + t.delay_ms * interval '1 millisecond'), t.purpose, t.node_id,
          t.visit
        from ${$.table('timers', 't')}
        join accepted a on a.position = t.position
        where ${has('losesTimers') ? after('dropped_timers') : 'true'}
        order by 1, 2
        on conflict (execution_id, name) do update
        set due_at = excluded.due_at,
          purpose = excluded.purpose,
          node_id = excluded.node_id,
          visit = excluded.visit,
          left_ms = null
      )`,
    );
  }
  return [...parts, ...movingParts(has, $)];
}

/** A plan never ends a timer that it holds or releases. */
function movingParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  if (has('heldTimers')) {
    parts.push(
      `held_timers as (
        update timers t
        set left_ms = ceil(extract(epoch from t.due_at - ${STAMP}) * 1000)::int8,
          due_at = ${HELD_DUE_AT}
        from ${$.table('heldTimers', 'h')}
        join accepted a on a.position = h.position
        where t.execution_id = a.id
          and t.name = h.name
          and t.left_ms is null
          and t.due_at > ${STAMP}
      )`,
    );
  }
  if (has('releasedTimers')) {
    parts.push(
      `released_timers as (
        update timers t
        set due_at = ${STAMP} + t.left_ms * interval '1 millisecond',
          left_ms = null
        from ${$.table('releasedTimers', 'r')}
        join accepted a on a.position = r.position
        where t.execution_id = a.id
          and t.name = r.name
          and t.left_ms is not null
      )`,
    );
  }
  return parts;
}
