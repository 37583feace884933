-- works from: 14
-- A process of an older version that fires the `start_after` of a start that is `later` in the line of its tenant knows
-- nothing of the line: it would begin it beyond the limit. So the start joins the line at the end of that statement,
-- where no scheduler decides on it although it is marked. This version moves it itself: the trigger finds nothing to do.
do $migration$
declare
  function constant text := $function$
create function public.keep_start_in_line() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  update public.child_places c
  set state = 'waiting',
    seq = default
  where c.execution_id = old.execution_id
    and c.state = 'later'
    and not exists (
      select from public.flow_waits w where w.execution_id = old.execution_id
    );
  return null;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger keep_start_in_line
  after delete on timers
  for each row
  when (old.purpose = 'start_after')
  execute function keep_start_in_line();

-- A look at the line of a tenant reads what it may change, however many executions wait.
-- True: its execution has a row in the line of its tenant. Older processes leave it false, which costs one look.
alter table flow_waits add column in_line boolean not null default false;
create index flow_waits_not_in_line on flow_waits (tenant_id, seq) where not in_line;
create index child_places_borrowing on child_places (tenant_id, parent_execution_id, seq)
  where state = 'waiting' and parent_execution_id is not null;
create index child_places_lent_of_tenant on child_places (tenant_id) where state = 'lent';

-- As in 0043_starts_wait_for_tenants.sql.
do $migration$
declare
  function constant text := $function$
create or replace function public.admit_children(tenant text, at_most int)
returns table (admitted_id uuid, admitted_shard smallint)
language plpgsql
volatile
as $$
declare
  -- So many executions are looked at, the oldest, before all are counted.
  looked_at_max constant bigint := 2000;
  places_max bigint;
  queues boolean;
  free bigint;
begin
  select (t.limits ->> 'max_concurrent_executions')::bigint, t.limits ->> 'when_full' = 'queue'
  into places_max, queues
  from public.tenants t
  where t.id = tenant
    and t.status = 'active'
  for no key update;
  if not found then
    return;
  end if;

  if places_max is not null and (
    queues or exists (
      select
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id is null
    )
  ) then
    with unlisted as materialized (
      select f.execution_id, f.shard, f.seq, f.since
      from public.flow_waits f
      where f.tenant_id = tenant
        and not f.in_line
      order by f.seq
      -- One that leaves the line of its key at this moment begins with the place that it is counted with.
      for update skip locked
    ),
    listed as (
      update public.flow_waits f
      set in_line = true
      where f.execution_id = any(array(select u.execution_id from unlisted u))
    )
    insert into public.child_places (
      execution_id, tenant_id, parent_execution_id, shard, state, since
    )
    select u.execution_id, tenant, null, u.shard, 'later', u.since
    from unlisted u
    order by u.seq
    on conflict (execution_id) do nothing;
  end if;

  -- What has ended borrows nothing any more. A subquery instead of a join, which would read all executions.
  delete from public.child_places c
  where c.tenant_id = tenant
    and c.state = 'lent'
    and (
      select e.status in ('running', 'paused')
      from public.executions e
      where e.id = c.execution_id
    ) is not true;

  return query
  -- From one parent to the next by the index, however many children of each wait.
  with recursive parents as (
    (
      select c.parent_execution_id as id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id is not null
      order by c.parent_execution_id
      limit 1
    )
    union all
    select (
      select c.parent_execution_id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id > p.id
      order by c.parent_execution_id
      limit 1
    )
    from parents p
    where p.id is not null
  ),
  picked as materialized (
    select (
      select c.execution_id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id = p.id
      order by c.seq
      limit 1
    ) as execution_id
    from parents p
    where p.id is not null
      and not exists (
        select
        from public.child_places l
        where l.parent_execution_id = p.id
          and l.state = 'lent'
      )
    limit at_most
  ),
  lent as (
    update public.child_places c
    set state = 'lent'
    where c.execution_id = any(array(select p.execution_id from picked p))
      and c.state = 'waiting'
    returning c.execution_id, c.shard
  ),
  marked as (
    insert into public.runnable (execution_id, shard)
    select l.execution_id, l.shard
    from lent l
    order by l.execution_id
    on conflict (execution_id) do nothing
  )
  select l.execution_id, l.shard
  from lent l;

  free := at_most;
  if places_max is not null then
    -- Those that have places began first, as a rule. So a look at a full tenant ends before those that wait.
    if places_max <= looked_at_max / 2 then
      select places_max - count(*)
      into free
      from (
        select
        from (
          (
            select e.id
            from public.executions e
            where e.tenant_id = tenant
              and e.status = 'paused'
            order by e.created_at, e.id
            limit looked_at_max
          )
          union all
          (
            select e.id
            from public.executions e
            where e.tenant_id = tenant
              and e.status = 'running'
            order by e.created_at, e.id
            limit looked_at_max
          )
        ) e
        -- A subquery instead of a join, which would read all that wait.
        where (select true from public.child_places c where c.execution_id = e.id) is null
        limit places_max
      ) oldest;
    end if;
    if free > 0 then
      select places_max - count(*)
      into free
      from (
        select
        from public.executions e
        where e.tenant_id = tenant
          and e.status in ('running', 'paused')
          and not exists (select from public.child_places c where c.execution_id = e.id)
        limit places_max
      ) live;
    end if;
  end if;

  return query
  with picked as materialized (
    select c.execution_id, c.seq
    from public.child_places c
    where c.tenant_id = tenant
      and c.state = 'waiting'
    order by c.seq
    limit greatest(0, least(free, at_most))
  ),
  placed as (
    delete from public.child_places c
    where c.execution_id = any(array(select p.execution_id from picked p))
      and c.state = 'waiting'
    returning c.execution_id, c.shard, c.seq
  ),
  live as materialized (
    -- A subquery instead of a join: a cached plan must never scan the executions.
    select p.execution_id, p.shard, p.seq
    from placed p
    where (
      select e.status in ('running', 'paused')
      from public.executions e
      where e.id = p.execution_id
    )
  ),
  marked as (
    insert into public.runnable (execution_id, shard)
    select l.execution_id, l.shard
    from live l
    order by l.execution_id
    on conflict (execution_id) do nothing
  )
  select l.execution_id, l.shard
  from live l
  order by l.seq;
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;
