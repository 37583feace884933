-- works from: 14
-- Rates of tools: see 0037_quotas.sql for how items wait. A bucket without a row is full.
create table quota_buckets (
  bucket_key text primary key,
  tenant_id text not null,
  -- When the bucket is full if nothing more is taken from it. In microseconds since the epoch.
  full_at_us bigint not null
);

-- As `admit_quota`, with a token for each item. The lock of the bucket comes first and that of the
-- places second, in every process. The clock is read under the lock. Without `places`, as many
-- items move as there are tokens.
do $migration$
declare
  function constant text := $function$
create or replace function public.admit_quota_at_rate(
  waiting text,
  served text,
  quota text,
  places int,
  at_most int,
  bucket text,
  interval_us bigint,
  burst int
)
returns table (admitted uuid[], next_us bigint)
language plpgsql
volatile
as $$
declare
  now_us bigint;
  full_us bigint;
  room bigint;
  ids uuid[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtextextended(bucket, 38));
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  select b.full_at_us
  into full_us
  from public.quota_buckets b
  where b.bucket_key = bucket;
  full_us := greatest(now_us, coalesce(full_us, now_us));
  room := least((now_us + burst * interval_us - full_us) / interval_us, at_most);

  if room > 0 and places is not null then
    select coalesce(array_agg(a.admitted_id), '{}')
    into ids
    from public.admit_quota(waiting, served, quota, places, room::int) a;
  elsif room > 0 then
    with picked as materialized (
      select q.work_item_id
      from public.work_queue q
      where q.queue_key = waiting
      order by q.priority, q.seq
      limit room
      for update skip locked
    ),
    moved as (
      update public.work_queue q
      set queue_key = served,
        -- On the default queue it counts like any other item there. The record of the item keeps the name.
        queue_name = case
          when split_part(q.queue_name, '#', 1) <> 'default' then q.queue_name
        end,
        seq = default
      where q.work_item_id = any(array(select p.work_item_id from picked p))
      returning q.work_item_id
    )
    select coalesce(array_agg(m.work_item_id), '{}')
    into ids
    from moved m;
  end if;

  if cardinality(ids) > 0 then
    full_us := full_us + cardinality(ids) * interval_us;
    insert into public.quota_buckets (bucket_key, tenant_id, full_at_us)
    values (bucket, split_part(bucket, '/', 1), full_us)
    on conflict (bucket_key) do update
      set full_at_us = excluded.full_at_us;
  end if;

  return query
  select ids, greatest(0, full_us + interval_us - burst * interval_us - now_us);
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;

-- As for every table of tenants, see 0005_tenants.sql.
alter table quota_buckets enable row level security;

do $$
declare
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  execute format(
    'create policy one_tenant on quota_buckets using (%s) with check (%s)', rule, rule
  );
end
$$;
