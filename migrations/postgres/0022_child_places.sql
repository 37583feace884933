-- works from: 14
-- Children take places of their tenant's limit and wait for one; trees of executions are bounded.

-- One row for each execution that has started children, which its descendants count in. Whoever starts a
-- descendant, lets one begin, or ends what others descend from, locks it: so an end and a start are never
-- blind to each other. Rows of ended roots are pruned.
create table execution_trees (
  root_execution_id uuid primary key,
  tenant_id text not null,
  -- All that were ever started, children of children included.
  descendants bigint not null check (descendants >= 0)
);

-- Children of tenants with a limit of executions, except those that hold a place of their own.
create table child_places (
  execution_id uuid primary key,
  tenant_id text not null,
  parent_execution_id uuid not null,
  shard smallint not null,
  -- The order in which places are given.
  seq bigint generated always as identity,
  -- 'waiting': it has not begun · 'lent': it has begun in the place of its parent
  state text not null check (state in ('waiting', 'lent')),
  since timestamptz not null
);

create index child_places_waiting on child_places (tenant_id, seq) where state = 'waiting';
create index child_places_lent on child_places (parent_execution_id) where state = 'lent';

-- Whether something of a tree may begin: not when an execution that it descends from has ended, or it or
-- one of these is about to be cancelled. Locked first and read afterwards, as in `lock_tenant_room`.
do $migration$
declare
  function constant text := $function$
create or replace function public.judge_tree(
  root uuid,
  execution uuid,
  exclusive boolean,
  out descendants bigint,
  out is_orphaned boolean
)
language plpgsql
volatile
as $$
begin
  if exclusive then
    select t.descendants
    into descendants
    from public.execution_trees t
    where t.root_execution_id = root
    for no key update;
  else
    perform from public.execution_trees t where t.root_execution_id = root for share;
  end if;
  descendants := coalesce(descendants, 0);
  is_orphaned := exists (
    select
    from public.execution_chain(execution) c
    join public.executions e on e.id = c.id
    where (c.id <> execution and e.status in ('completed', 'failed', 'cancelled'))
      or exists (
        select
        from public.timers t
        where t.execution_id = c.id
          and t.name = 'parent_ended'
      )
  );
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;

-- As in 0005_tenants.sql, but an execution in the place of its parent takes none, and children that wait
-- go before what is started from outside.
do $migration$
declare
  function constant text := $function$
create or replace function public.lock_tenant_room(
  tenant text,
  executions_max bigint,
  queued_max bigint,
  out executions_free bigint,
  out queued_free bigint
)
language plpgsql
volatile
as $$
begin
  perform from public.tenants t where t.id = tenant for no key update;
  if executions_max is not null then
    if exists (
      select from public.child_places c where c.tenant_id = tenant and c.state = 'waiting'
    ) then
      executions_free := 0;
    else
      select executions_max - count(*)
      into executions_free
      from (
        select
        from public.executions e
        where e.tenant_id = tenant
          and e.status in ('running', 'paused')
          and not exists (select from public.child_places c where c.execution_id = e.id)
        limit executions_max
      ) live;
    end if;
  end if;
  if queued_max is not null then
    select queued_max - count(*)
    into queued_free
    from (
      select
      from public.work_queue q
      where q.queue_key in (tenant || '/python_tool', tenant || '/java_tool')
      limit queued_max
    ) queued;
  end if;
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;

-- Gives places to children that wait, at most so many, and answers who got one. A parent lends its place to
-- one child at a time; what is free of the tenant's limit goes to those who wait longest.
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
  free bigint;
begin
  select (t.limits ->> 'max_concurrent_executions')::bigint
  into places_max
  from public.tenants t
  where t.id = tenant
    and t.status = 'active'
  for no key update;
  if not found then
    return;
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
    limit least(free, at_most)
  ),
  placed as (
    delete from public.child_places c
    where c.execution_id = any(array(select p.execution_id from picked p))
      and c.state = 'waiting'
    returning c.execution_id, c.shard, c.seq
  ),
  marked as (
    insert into public.runnable (execution_id, shard)
    select p.execution_id, p.shard
    from placed p
    order by p.execution_id
    on conflict (execution_id) do nothing
  )
  select p.execution_id, p.shard
  from placed p;
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['execution_trees', 'child_places'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;
