import { after, namesOf, spell, STAMP, type Has, type Param } from './parts.ts';

/*
 * How plans use their trees of executions, see `TreeUse`. The row of a tree is locked after the
 * executions and before the tenants: exclusively by plans that add executions or end children, and
 * shared by plans that begin one, so that the children of one tree begin in parallel.
 */

export function treeLockingParts(has: Has, $: Param): string[] {
  if (!has('trees')) return [];
  return [
    `related as materialized (
      select l.position, l.root, l.doing, l.adds, l.descendants_max, t.descendants, t.is_orphaned
      from (
        select n.position, n.execution_id, ${spell(namesOf('trees'), 'n')}
        from ${$.table('trees', 'n', ['position', 'execution_id', ...namesOf('trees')])}
        where ${after('locked')}
        -- The stronger lock comes first: no statement requests it while it holds the weaker one.
        order by n.root, n.doing = 'begin', n.position
        offset 0
      ) l
      cross join lateral judge_tree(l.root, l.execution_id, l.doing <> 'begin') t
    )`,
  ];
}

export function treeJudgingParts(has: Has): string[] {
  if (!has('trees')) return [];
  return [
    `barren as materialized (
      select n.position, case when n.is_orphaned then 'orphaned' else 'descendants_limited' end as reason
      from (
        select r.position, r.doing, r.is_orphaned,
          r.doing = 'start' and r.descendants + sum(r.adds) over earlier > r.descendants_max as is_full
        from related r
        window earlier as (partition by r.root order by r.position)
      ) n
      where (n.doing <> 'end' and n.is_orphaned)
        or n.is_full
    )`,
  ];
}

export function treeWritingParts(has: Has, $: Param): string[] {
  return [
    ...(has('trees')
      ? [
          `grown as (
            insert into execution_trees as t (root_execution_id, tenant_id, descendants)
            select r.root, max(a.tenant_id), sum(r.adds)
            from related r
            join accepted a on a.position = r.position
            where r.adds > 0
            group by r.root
            order by r.root
            on conflict (root_execution_id) do update
            set descendants = t.descendants + excluded.descendants
          )`,
        ]
      : []),
    ...(has('trees') && has('timers')
      ? [
          // A child that is about to be cancelled needs no decision. Other executions keep their
          // marks.
          `unmarked as (
            delete from runnable r
            where r.execution_id = any(array(
              select m.execution_id
              from runnable m
              where m.execution_id = any(array(
                select t.of_execution
                from ${$.table('timers', 't', ['position', 'of_execution', 'purpose'])}
                join accepted a on a.position = t.position
                where t.purpose = 'parent_ended'
              ))
              for update skip locked
            ))
          )`,
        ]
      : []),
    ...(has('leavesQueue')
      ? [
          `left_flow as (
            delete from flow_waits w
            where w.execution_id = any(${$.array('leavesQueue', 'execution_id')})
              and w.execution_id in (select id from accepted)
            returning w.execution_id
          )`,
          // In this order, as the trigger of `flow_waits` changes these rows when an execution leaves its key's line.
          `left_queue as (
            delete from child_places c
            where c.execution_id = any(${$.array('leavesQueue', 'execution_id')})
              and c.execution_id in (select id from accepted)
              and ${after('left_flow')}
          )`,
        ]
      : []),
    ...(has('leavesLine')
      ? [
          `left_line as (
            delete from flow_waits w
            where w.execution_id = any(${$.array('leavesLine', 'execution_id')})
              and w.execution_id in (select id from accepted)
          )`,
        ]
      : []),
    ...(has('usesToken')
      ? [
          `token_used as (
            update runnable r
            set bucket_key = null,
              admitted_at = null
            where r.execution_id = any(${$.array('usesToken', 'execution_id')})
              and r.bucket_key is not null
              and r.execution_id in (select id from accepted)
          )`,
        ]
      : []),
  ];
}

/** Starts that wait for a place of their tenant from here on, see `TenantLine`. */
export function tenantLineParts(has: Has, $: Param): string[] {
  if (!has('tenantLines')) return [];
  return [
    `tenant_line as materialized (
      select a.id, a.tenant_id, a.stamp, l.position, l.shard, l.state, l.is_new
      from ${$.table('tenantLines', 'l')}
      join accepted a on a.position = l.position
    )`,
    `lined_up as (
      insert into child_places as c (
        execution_id, tenant_id, parent_execution_id, shard, state, since
      )
      select l.id, l.tenant_id, null, l.shard, l.state, l.stamp
      from tenant_line l
      where l.is_new
      order by l.position
      on conflict (execution_id) do update
      set state = excluded.state,
        since = excluded.since,
        seq = default
      where c.state = 'later'
    )`,
    `moved_up as (
      update child_places c
      set state = l.state,
        since = l.stamp,
        seq = default
      from tenant_line l
      where c.execution_id = any(${$.array('tenantLines', 'execution_id')})
        and c.execution_id = l.id
        and c.state = 'later'
        and not l.is_new
    )`,
  ];
}

/** The places of executions that the plans of others start, see `PlaceStore`. */
export function placingParts(): string[] {
  return [
    `run_waiting as (
      insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
      select r.id, r.tenant_id, r.parent_execution_id, r.shard, 'waiting', ${STAMP}
      from run r
      where r.waits_for_place
      order by r.id
    )`,
    `run_placed as (
      insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
      select r.id, r.tenant_id, c.parent_execution_id, r.shard, c.state, c.since
      from run r
      cross join lateral (
        select p.parent_execution_id, p.state, p.since
        from child_places p
        where p.execution_id = r.takes_place_of
        limit 1
      ) c
    )`,
    `run_in_flow as (
      update flow_places p
      set execution_id = r.id
      from run r
      where p.execution_id = any(array(select c.continues from run c where c.continues is not null))
        and p.execution_id = r.continues
    )`,
  ];
}
