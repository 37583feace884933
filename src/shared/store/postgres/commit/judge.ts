import { after, INSTANT, namesOf, removedBefore, spell, type Has, type Param } from './parts.ts';
import { pauseJudgingParts, pauseLockingParts } from './pauses.ts';
import { placeJudgingParts, placeReadingParts } from './places.ts';
import { treeJudgingParts, treeLockingParts } from './trees.ts';

/** Locks, reads and judges the rows that plans depend on. It writes nothing. */

export function lockingParts(has: Has, $: Param): string[] {
  const revokes = has('revokes');
  const leases = [
    ...(has('settles') ? [`select unnest(${$.array('settles', 'work_item_id')})`] : []),
    ...(has('keeps') ? [`select unnest(${$.array('keeps', 'work_item_id')})`] : []),
    ...(revokes
      ? [
          `select unnest(${$.array('revokesItems', 'work_item_id')})`,
          // An array has no order, for which the server would walk over the index of all items.
          `select unnest(array(
             select l.work_item_id
             from work_leases l
             where l.execution_id = any(${$.array('revokesAll', 'execution_id')})
           ))`,
        ]
      : []),
  ];
  return [
    `plan as materialized (
      select p.position, p.execution_id as id, p.tenant_id, ${spell(namesOf('plans'), 'p')}
      from ${$.table('plans', 'p', ['position', 'execution_id', 'tenant_id', ...namesOf('plans')])}
    )`,
    // By array instead of join, here and below: a cached plan must never scan a whole table.
    `locked as materialized (
      select e.id, e.tenant_id, e.status, e.last_sequence, e.xmin as version
      from executions e
      where e.id = any(${$.array('plans', 'execution_id')})
      order by e.id
      for no key update
    )`,
    ...(leases.length > 0
      ? [
          `held as materialized (
            select l.work_item_id, l.execution_id, l.lease_fence, l.expires_at
            from work_leases l
            where l.work_item_id = any(array(${leases.join(' union ')}))
              and l.execution_id = any(${$.array('plans', 'execution_id')})
              and ${after('locked')}
            order by l.execution_id, l.work_item_id
            for update
          )`,
        ]
      : []),
    ...(has('expires')
      ? [
          `overdue as materialized (
            select q.work_item_id, q.execution_id, q.start_before
            from work_queue q
            where q.work_item_id = any(${$.array('expires', 'work_item_id')})
              and ${after('locked')}
            order by q.work_item_id
            for update
          )`,
        ]
      : []),
    ...(has('fires')
      ? [
          `firing as materialized (
            select t.execution_id, t.name, t.due_at
            from timers t
            where t.execution_id = any(${$.array('losesTimers', 'execution_id')})
              and t.name = any(${$.array('fires', 'name')})
              and ${after('locked')}
            order by t.execution_id, t.name
            for update
          )`,
        ]
      : []),
    ...pauseLockingParts(has, $),
    ...treeLockingParts(has, $),
    ...(has('limits') ? [room(has, $)] : []),
    ...placeReadingParts(has, $),
    `clock as materialized (
      select w.instant,
        greatest(
          date_trunc('milliseconds', w.instant),
          -- Even if the clock was set back: sealed events never change.
          (select s.covers_to from audit_windows s order by s.window_number desc limit 1)
        ) as stamp
      from (
        select clock_timestamp() as instant
        from (
          select (select count(*) from locked)
            ${leases.length > 0 ? '+ (select count(*) from held)' : ''}
            ${has('expires') ? '+ (select count(*) from overdue)' : ''}
            ${has('fires') ? '+ (select count(*) from firing)' : ''}
            ${has('pauses') ? '+ (select count(*) from standing)' : ''}
            ${has('trees') ? '+ (select count(*) from related)' : ''}
            ${has('limits') ? '+ (select count(*) from room)' : ''} as locks
          offset 0
        ) waited
        where waited.locks >= 0
        offset 0
      ) w
    )`,
  ];
}

export function judgingParts(has: Has, $: Param): string[] {
  const stale = [
    ...(has('settles')
      ? [
          `select s.position
           from ${$.table('settles', 's')}
           join plan p on p.position = s.position
           left join held h
             on h.work_item_id = s.work_item_id
             and h.lease_fence = s.lease_fence
             and h.execution_id = p.id
           where h.work_item_id is null
             or (s.if_expired and h.expires_at > ${INSTANT})`,
        ]
      : []),
    ...(has('keeps')
      ? [
          `select g.position
           from ${$.table('keeps', 'g')}
           join plan p on p.position = g.position
           left join held h
             on h.work_item_id = g.work_item_id
             and h.lease_fence = g.lease_fence
             and h.execution_id = p.id
           where h.work_item_id is null`,
        ]
      : []),
    ...(has('expires')
      ? [
          `select x.position
           from ${$.table('expires', 'x')}
           join plan p on p.position = x.position
           left join overdue o on o.work_item_id = x.work_item_id and o.execution_id = p.id
           where o.work_item_id is null
             or o.start_before is null
             or o.start_before > ${INSTANT}`,
        ]
      : []),
    ...(has('fires')
      ? [
          `select f.position
           from ${$.table('fires', 'f')}
           join plan p on p.position = f.position
           left join firing t on t.execution_id = p.id and t.name = f.name
           where t.name is null
             or t.due_at > ${INSTANT}`,
        ]
      : []),
  ];
  return [
    ...(has('limits') ? [crowded($)] : []),
    ...placeJudgingParts(has, $),
    ...pauseJudgingParts(has, $),
    ...treeJudgingParts(has),
    ...(stale.length > 0 ? [`stale as materialized (${stale.join(' union all ')})`] : []),
    `${has('together') ? 'judged_alone' : 'judged'} as materialized (
      select p.position, p.id, p.tenant_id, p.is_new, p.event_count, p.status, p.error, p.runnable,
        p.revokes_all,
        case
          when p.is_new and k.id is not null then 'exists'
          ${has('derived') ? `when p.id in (${removedBefore($)}) then 'exists'` : ''}
          when p.is_new then ${newRefusal(has)}
          when k.id is null or k.tenant_id <> p.tenant_id then 'missing'
          when k.status in ('completed', 'failed', 'cancelled') then 'ended'
          when k.last_sequence <> p.expected then 'moved'
          ${has('pauses') ? 'when u.reason is not null then u.reason' : ''}
          ${has('trees') ? 'when b.reason is not null then b.reason' : ''}
          ${stale.length > 0 ? `when p.position in (select position from stale) then 'stale'` : ''}
        end as reason
      from plan p
      left join locked k on k.id = p.id
      ${has('limits') ? 'left join crowded c on c.position = p.position' : ''}
      ${has('takes') ? 'left join placeless l on l.position = p.position' : ''}
      ${has('pauses') ? 'left join unfit u on u.position = p.position' : ''}
      ${has('trees') ? 'left join barren b on b.position = p.position' : ''}
    )`,
    ...(has('together')
      ? [
          `judged as materialized (
            select j.position, j.id, j.tenant_id, j.is_new, j.event_count, j.status, j.error,
              j.runnable, j.revokes_all, coalesce(j.reason, (
                select 'moved'
                from judged_alone r
                where r.reason is not null
                  and r.position = any(${$.array('together', 'position')})
                  and j.position = any(${$.array('together', 'position')})
                limit 1
              )) as reason
            from judged_alone j
          )`,
        ]
      : []),
  ];
}

/** Why a new execution is refused. */
function newRefusal(has: Has): string {
  const reasons = [
    ...(has('pauses') ? ['u.reason'] : []),
    ...(has('limits') ? ['c.reason'] : []),
    ...(has('takes') ? ['l.reason'] : []),
  ];
  return reasons.length === 0 ? 'null' : `coalesce(${reasons.join(', ')})`;
}

/**
 * The free places of tenants that start executions here. Locks the tenants, in the order of their
 * ids and after the executions, until the end of the transaction: see `lock_tenant_room`.
 */
function room(has: Has, $: Param): string {
  return `room as materialized (
      select t.tenant_id, r.executions_free, r.queued_free
      from (
        select l.tenant_id, min(l.executions_max) as executions_max, min(l.queued_max) as queued_max
        from ${$.table('limits', 'l', ['tenant_id', 'executions_max', 'queued_max'])}
        where ${after(has('trees') ? 'related' : 'locked')}
        group by l.tenant_id
        order by l.tenant_id
        offset 0
      ) t
      cross join lateral lock_tenant_room(t.tenant_id, t.executions_max, t.queued_max) r
    )`;
}

/** New executions that find no free place after those before them in the batch. */
function crowded($: Param): string {
  return `crowded as materialized (
      select n.position,
        case
          when n.executions_before >= n.executions_free then 'executions_limited'
          else 'queue_limited'
        end as reason
      from (
        select l.position, m.executions_free, m.queued_free,
          row_number() over earlier - 1 as executions_before,
          sum(l.items) over earlier - l.items as items_before
        from ${$.table('limits', 'l', ['position', 'tenant_id', 'items'])}
        join room m on m.tenant_id = l.tenant_id
        window earlier as (partition by l.tenant_id order by l.position)
      ) n
      where n.executions_before >= n.executions_free
        or n.items_before >= n.queued_free
    )`;
}
