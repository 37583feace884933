-- works from: 14
-- Quotas of tools. An item below a quota waits on a queue of its own (`src/shared/domain/work/quota.ts`), which no
-- claim looks at, until `admit_quota` gives it a place and moves it to the queue of its workers.

-- Items that have a place. A place counts while its item is on the queue of its workers or in a lease, and the next
-- admission of the quota removes the others.
create table quota_places (
  work_item_id uuid primary key,
  execution_id uuid not null,
  tenant_id text not null,
  quota_key text not null
);

create index quota_places_by_quota on quota_places (quota_key);

-- Items without a quota write nothing here.
create index work_queue_below_quotas on work_queue (queue_key)
  where queue_name is not null and strpos(queue_key, '#') > 0;

-- Moves the first items of `waiting` to the end of `served`, as many as `quota` has places left. The lock comes
-- first and each count reads after it, as in `lock_tenant_room`, so no two admissions give the same place.
do $migration$
declare
  function constant text := $function$
create or replace function public.admit_quota(
  waiting text,
  served text,
  quota text,
  places int,
  at_most int
)
returns table (admitted_id uuid)
language plpgsql
volatile
as $$
declare
  room int;
begin
  perform pg_advisory_xact_lock(hashtextextended(quota, 37));

  -- Items are looked up one by one: a join could be kept as a walk over the whole queue.
  delete from public.quota_places p
  where p.quota_key = quota
    and (
      select true
      from public.work_queue q
      where q.work_item_id = p.work_item_id
        and strpos(q.queue_key, '#') = 0
      limit 1
    ) is not true
    and (
      select true
      from public.work_leases l
      where l.execution_id = p.execution_id
        and l.work_item_id = p.work_item_id
      limit 1
    ) is not true;

  select least(places - count(*), at_most)
  into room
  from public.quota_places p
  where p.quota_key = quota;

  if room <= 0 then
    return;
  end if;

  return query
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
    returning q.work_item_id, q.execution_id, q.tenant_id
  ),
  placed as (
    insert into public.quota_places (work_item_id, execution_id, tenant_id, quota_key)
    select m.work_item_id, m.execution_id, m.tenant_id, quota
    from moved m
  )
  select m.work_item_id
  from moved m;
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;

-- As for every table of tenants, see 0005_tenants.sql.
alter table quota_places enable row level security;

do $$
declare
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  execute format(
    'create policy one_tenant on quota_places using (%s) with check (%s)', rule, rule
  );
end
$$;
