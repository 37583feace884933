import { INSTANT, type Has, type Param } from './parts.ts';

/*
 * Places of keys that new executions take with their commit, or are refused (`places_taken`). No
 * statement waits for another of its key to count: it reads who has a place in its snapshot, and
 * inserts numbers that are free there. The primary key of `flow_places` gives each number once. A number
 * whose execution has ended is taken over, but only from the very execution that the snapshot saw
 * ended, which no other commit makes live again. If somebody else was sooner, the whole
 * statement fails as a serialization failure and is sent again, so the next snapshot sees that place.
 */

/** Reads the holders of the places of each key, and counts the executions that wait for one. */
export function placeReadingParts(has: Has, $: Param): string[] {
  if (!has('takes')) return [];
  return [
    `key_room as materialized (
      select k.tenant_id, k.place_key, k.places_max, k.spread, h.taken, h.gone,
        cardinality(h.taken) + w.waiting as occupied
      from (
        select t.tenant_id, t.place_key, max(t.places_max) as places_max,
          abs(hashtext(min(t.execution_id::text))::int8) as spread
        from ${$.table('takes', 't', ['tenant_id', 'execution_id', 'place_key', 'places_max'])}
        group by t.tenant_id, t.place_key
      ) k
      cross join lateral (
        select coalesce(array_agg(l.place) filter (where l.is_live), '{}') as taken,
          coalesce(array_agg(l.execution_id) filter (where l.is_live is not true), '{}') as gone
        from (
          select p.place, p.execution_id, ${isLive('p')} as is_live
          from flow_places p
          where p.tenant_id = k.tenant_id
            and p.place_key = k.place_key
          offset 0
        ) l
      ) h
      cross join lateral (
        select count(*)::int as waiting
        from (
          select
          from flow_waits w
          where w.tenant_id = k.tenant_id
            and w.place_key = k.place_key
            and ${isLive('w')}
          limit k.places_max
        ) live
      ) w
    )`,
  ];
}

/** By a subquery instead of a join: a cached plan must never scan the executions. */
export function isLive(alias: string): string {
  return `(
            select e.status in ('running', 'paused')
            from executions e
            where e.id = ${alias}.execution_id
          )`;
}

/** New executions that find no free place after those before them in the batch. */
export function placeJudgingParts(has: Has, $: Param): string[] {
  if (!has('takes')) return [];
  return [
    `placeless as materialized (
      select n.position, 'places_taken' as reason
      from (
        select t.position, t.places_max, k.occupied + row_number() over (
          partition by t.tenant_id, t.place_key
          -- A version with a lower limit comes last, so that what refuses one refuses all after it.
          order by t.places_max desc, t.position
        ) as occupied
        from ${$.table('takes', 't', ['position', 'tenant_id', 'place_key', 'places_max'])}
        join key_room k on k.tenant_id = t.tenant_id and k.place_key = t.place_key
      ) n
      where n.occupied > n.places_max
    )`,
  ];
}

/**
 * Competitors for one key begin at different numbers, so that few of them meet. They pick no more numbers
 * than there are places to give: of those, each is taken once.
 */
export function placeTakingParts(has: Has, $: Param): string[] {
  if (!has('takes')) return [];
  return [
    `seated as (
      insert into flow_places as p (tenant_id, place_key, place, execution_id, taken_at)
      select k.tenant_id, k.place_key, f.place, s.id, ${INSTANT}
      from (
        select a.id, t.tenant_id, t.place_key,
          row_number() over (partition by t.tenant_id, t.place_key order by t.position) as n
        from ${$.table('takes', 't', ['position', 'tenant_id', 'place_key'])}
        join accepted a on a.position = t.position
      ) s
      join key_room k on k.tenant_id = s.tenant_id and k.place_key = s.place_key
      cross join lateral (
        select g.place
        from (
          select generate_series(1, k.places_max)
          except
          select unnest(k.taken)
        ) g (place)
        order by g.place
        offset (s.n + k.spread) % greatest(1, k.places_max - k.occupied)
        limit 1
      ) f
      order by k.tenant_id, k.place_key, f.place
      on conflict (tenant_id, place_key, place) do update
      set execution_id = excluded.execution_id,
        taken_at = excluded.taken_at,
        is_leaving = false
      where p.execution_id = any(array(select unnest(k.gone) from key_room k))
      returning p.execution_id
    )`,
    `unseated as materialized (
      select true as happened
      where (select count(*) from seated) <> (
        select count(*)
        from accepted a
        where a.position = any(${$.array('takes', 'position')})
      )
    )`,
  ];
}
