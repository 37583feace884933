-- works from: 14
-- Starts of tenants whose limit of executions is reached may wait, in one line with children. Such a row has no
-- parent, which could lend it a place.
alter table child_places alter column parent_execution_id drop not null;
-- 'later': it waits for its time or for its key first, and takes no place of the tenant meanwhile
alter table child_places drop constraint child_places_state_check;
alter table child_places add constraint child_places_state_check check (
  state in ('waiting', 'lent', 'later')
);

-- One that leaves the line of its key is the last in that of its tenant, whichever statement lets it leave.
do $migration$
declare
  function constant text := $function$
create function public.join_tenant_line()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  update public.child_places c
  set state = 'waiting',
    seq = default
  where c.execution_id = old.execution_id
    and c.state = 'later';
  return null;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger join_tenant_line after delete on flow_waits
  for each row execute function join_tenant_line();

-- As in 0022_child_places.sql, and starts wait in the same line as children. Where starts wait, executions
-- that wait for their key and are counted give up their place: they would keep it from those that have the
-- places of the key, and wait for the tenant.
do $migration$
declare
  function constant text := $function$
create or replace function public.admit_children(tenant text, at_most int)
returns table (admitted_id uuid, admitted_shard smallint)
language plpgsql
volatile
as $$
declare
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
    insert into public.child_places (
      execution_id, tenant_id, parent_execution_id, shard, state, since
    )
    select w.execution_id, tenant, null, w.shard, 'later', w.since
    from (
      select f.execution_id, f.shard, f.since
      from public.flow_waits f
      where f.tenant_id = tenant
        and not exists (
          select from public.child_places c where c.execution_id = f.execution_id
        )
      order by f.seq
      -- One that leaves the line of its key at this moment begins with the place that it is counted with.
      for update skip locked
    ) w
    on conflict (execution_id) do nothing;
  end if;

  -- What has ended borrows nothing any more.
  delete from public.child_places c
  where c.tenant_id = tenant
    and c.state = 'lent'
    and not exists (
      select
      from public.executions e
      where e.id = c.execution_id
        and e.status in ('running', 'paused')
    );

  return query
  with picked as materialized (
    select distinct on (c.parent_execution_id) c.execution_id
    from public.child_places c
    where c.tenant_id = tenant
      and c.state = 'waiting'
      and c.parent_execution_id is not null
      and not exists (
        select
        from public.child_places l
        where l.parent_execution_id = c.parent_execution_id
          and l.state = 'lent'
      )
    order by c.parent_execution_id, c.seq
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
