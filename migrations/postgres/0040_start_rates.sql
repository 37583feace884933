-- works from: 14
-- Rates of starts. `place_key` of a wait names its line; with a rate, the line also has the key of the
-- rate, and `places_key` names the places, if there is a limit of them.
alter table flow_waits alter column places_max drop not null;
alter table flow_waits add column places_key text;
alter table flow_waits add column bucket_key text;
-- From one token to the next, in microseconds, and the most tokens at once.
alter table flow_waits add column interval_us bigint check (interval_us >= 1);
alter table flow_waits add column burst int check (burst >= 1);

-- Gives tokens to those that have waited longest in a line, and places where the line has a limit.
-- Buckets are those of 0038_quota_rates.sql. The lock of the bucket comes before any place.
do $migration$
declare
  function constant text := $function$
create or replace function public.admit_flow_at_rate(
  tenant text,
  line text,
  of_places text,
  at_most int,
  bucket text,
  interval_us bigint,
  burst int
)
returns table (admitted json, next_us bigint)
language plpgsql
volatile
as $$
declare
  now_us bigint;
  full_us bigint;
  room bigint;
  places int;
  begun json := '[]';
begin
  perform pg_advisory_xact_lock(hashtextextended(bucket, 38));
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  select b.full_at_us
  into full_us
  from public.quota_buckets b
  where b.bucket_key = bucket;
  full_us := greatest(now_us, coalesce(full_us, now_us));
  room := least((now_us + burst * interval_us - full_us) / interval_us, at_most);

  if room > 0 and of_places is not null then
    -- By execution: a start may take over a place meanwhile, and its execution is not in the snapshot.
    delete from public.flow_places g
    where g.execution_id = any(array(
      select p.execution_id
      from public.flow_places p
      where p.tenant_id = tenant
        and p.place_key = of_places
        and (
          select e.status in ('running', 'paused')
          from public.executions e
          where e.id = p.execution_id
        ) is not true
    ));
    select w.places_max
    into places
    from public.flow_waits w
    where w.tenant_id = tenant
      and w.place_key = line
    order by w.seq
    limit 1;
    select least(room, coalesce(places, 0) - count(*))
    into room
    from public.flow_places p
    where p.tenant_id = tenant
      and p.place_key = of_places;
  end if;

  if room > 0 then
    with first as materialized (
      -- A subquery instead of a join: a cached plan must never scan the executions.
      select w.execution_id, w.shard, w.seq, w.since, (
        select e.status in ('running', 'paused')
        from public.executions e
        where e.id = w.execution_id
      ) as is_live
      from public.flow_waits w
      where w.tenant_id = tenant
        and w.place_key = line
      order by w.seq
      limit room
      for update skip locked
    ),
    live as materialized (
      select f.execution_id, f.shard, f.since, row_number() over (order by f.seq) as n
      from first f
      where f.is_live
    ),
    free as materialized (
      select g.place, row_number() over (order by g.place) as n
      from generate_series(1, places) as g (place)
      where not exists (
        select
        from public.flow_places p
        where p.tenant_id = tenant
          and p.place_key = of_places
          and p.place = g.place
      )
      order by g.place
      limit room
    ),
    placed as (
      insert into public.flow_places (tenant_id, place_key, place, execution_id)
      select tenant, of_places, f.place, l.execution_id
      from live l
      join free f on f.n = l.n
      order by f.place
      on conflict do nothing
      returning execution_id
    ),
    starting as materialized (
      select l.execution_id, l.shard, l.since, l.n
      from live l
      where of_places is null
        or l.execution_id in (select p.execution_id from placed p)
    ),
    gone as (
      delete from public.flow_waits w
      where w.execution_id = any(array(
        select s.execution_id
        from starting s
        union all
        select f.execution_id
        from first f
        where f.is_live is not true
      ))
    ),
    marked as (
      insert into public.runnable (execution_id, shard)
      select s.execution_id, s.shard
      from starting s
      order by s.execution_id
      on conflict (execution_id) do nothing
    )
    select coalesce(
      json_agg(
        json_build_object(
          'id', s.execution_id, 'shard', s.shard, 'waited_ms',
          floor(extract(epoch from clock_timestamp() - s.since) * 1000)
        )
        order by s.n
      ),
      '[]'
    )
    into begun
    from starting s;
  end if;

  if json_array_length(begun) > 0 then
    full_us := full_us + json_array_length(begun) * interval_us;
    insert into public.quota_buckets (bucket_key, tenant_id, full_at_us)
    values (bucket, tenant, full_us)
    on conflict (bucket_key) do update
      set full_at_us = excluded.full_at_us;
  end if;

  return query
  select begun, greatest(0, full_us + interval_us - burst * interval_us - now_us);
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;
