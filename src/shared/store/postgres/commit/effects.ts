import { after, INSTANT, STAMP, type Has, type Param } from './parts.ts';
import { HELD_DUE_AT, NEXT_FENCE, ticketColumns, toolOf } from '../rows.ts';

/*
 * The items and timers of accepted plans. What ends goes first, so that a plan may end an item or a
 * timer and begin it anew under the same name.
 */

export function deletingParts(has: Has, $: Param): string[] {
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
    parts.push(...droppingParts({ table: 'retry_timers', items, leaves: [revoked] }));
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

export function workParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
  const dropsLeases = has('settle_plan') || has('revoke_execution');
  const dropsQueued = has('expire_plan') || has('revoke_execution');
  if (has('item_plan')) {
    parts.push(
      `described as (
        insert into work_items (
          work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool,
          payload, retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms,
          queue_name, created_at
        )
        select i.work_item_id, a.id, a.tenant_id, i.node_id, i.visit, i.queue, i.idempotency_key,
          i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms, i.node_timeout_ms,
          i.schedule_to_start_ms, i.queue_name, a.stamp
        from unnest(
          ${$('item_plan')}, ${$('item')}, ${$('item_node')}, ${$('item_visit')},
          ${$('item_queue')}, ${$('item_key')}, ${$('item_tool')}, ${$('item_payload')},
          ${$('item_retry_policy')}, ${$('item_heartbeat')}, ${$('item_node_timeout')},
          ${$('item_start_timeout')}, ${$('item_queue_name')}
        ) as i (
          position, work_item_id, node_id, visit, queue, idempotency_key, tool, payload,
          retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms, queue_name
        )
        join accepted a on a.position = i.position
      )`,
    );
  }
  if (has('ticket_plan')) {
    parts.push(
      `ticket as materialized (
        select t.ordinal, t.position, t.place, t.worker_id, t.ms, a.shard,
          case when t.place = 'lease' then ${NEXT_FENCE} end as lease_fence,
          t.work_item_id, a.id as execution_id, a.tenant_id, t.node_id, t.visit, t.attempt, t.queue,
          t.priority, t.idempotency_key, t.node_timeout_ms, t.schedule_to_start_ms, t.queue_key,
          t.queue_name, t.tool, t.seq, t.queued_at, t.fence, t.is_held
        from unnest(
          ${$('ticket_plan')}, ${$('ticket_position')}, ${$('ticket_place')}, ${$('ticket_item')},
          ${$('ticket_node')}, ${$('ticket_visit')}, ${$('ticket_attempt')}, ${$('ticket_queue')},
          ${$('ticket_priority')}, ${$('ticket_key')}, ${$('ticket_node_timeout')},
          ${$('ticket_start_timeout')}, ${$('ticket_worker')}, ${$('ticket_ms')},
          ${$('ticket_queue_key')}, ${$('ticket_queue_name')}, ${$('ticket_tool')},
          ${$('ticket_seq')}, ${$('ticket_queued_at')}, ${$('ticket_fence')}, ${$('ticket_is_held')}
        ) as t (
          position, ordinal, place, work_item_id, node_id, visit, attempt, queue, priority,
          idempotency_key, node_timeout_ms, schedule_to_start_ms, worker_id, ms, queue_key,
          queue_name, tool, seq, queued_at, fence, is_held
        )
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
        insert into retry_timers (
          shard, due_at, held_due_at, queue_seq, queued_at, released_fence, ${ticketColumns()}
        )
        select t.shard, case when t.is_held then ${HELD_DUE_AT} else d.due_at end,
          case when t.is_held then d.due_at end, t.seq, t.queued_at, t.fence, ${ticketColumns('t')}
        from ticket t
        cross join lateral (
          select ${STAMP} + t.ms * interval '1 millisecond' as due_at
        ) d
        where t.place = 'retry'
          and ${has('revoke_execution') ? after('dropped_retry_timers') : 'true'}
      )`,
    );
  }
  return parts;
}

export function timerParts(has: Has, $: Param): string[] {
  const parts: string[] = [];
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
  if (has('timer_plan')) {
    parts.push(
      `started_timers as (
        insert into timers (execution_id, name, tenant_id, due_at, purpose, node_id, visit)
        select coalesce(t.execution_id, a.id), t.name, a.tenant_id,
          coalesce(t.until, ${STAMP} + t.delay_ms * interval '1 millisecond'), t.purpose, t.node_id,
          t.visit
        from unnest(
          ${$('timer_plan')}, ${$('timer_execution')}, ${$('timer_name')}, ${$('timer_delay')},
          ${$('timer_until')}, ${$('timer_purpose')}, ${$('timer_node')}, ${$('timer_visit')}
        ) as t (position, execution_id, name, delay_ms, until, purpose, node_id, visit)
        join accepted a on a.position = t.position
        where ${has('gone_timer_execution') ? after('dropped_timers') : 'true'}
        order by 1, 2
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
