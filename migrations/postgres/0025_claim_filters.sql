-- works from: 14
-- Claims for certain tools, named queues, and releases. Everything here is empty until it is used: an
-- older process leaves the columns out, and the first claim for certain tools fills in `tool`.

-- The queue that a node names; null: the default queue.
alter table work_items add column queue_name text;

-- `queue_key` of an item on a named queue ends with the name, so an older process never claims it.
alter table work_queue
  add column queue_name text,
  -- Null on the engine's queue, and on rows of older processes. Compared by bytes, so that a prefix is a range.
  add column tool text collate "C";

-- Every insert for a worker pays for this one (about 100 bytes of WAL). Without it a claim for one tool
-- walks over the items of all others, at every claim and for as long as nobody serves them.
create index work_queue_by_tool on work_queue (queue_key, tool, priority, seq) where queue <> 'engine';
-- Counted for the limit of a tenant; items on the default queue pay nothing.
create index work_queue_named on work_queue (tenant_id) where queue_name is not null;

-- The place that an item had on its queue, for a release to give back. Null: not claimed off a queue, or by
-- an older process.
alter table work_leases
  add column queue_seq bigint,
  add column queued_at timestamptz;

alter table retry_timers
  add column queue_seq bigint,
  add column queued_at timestamptz,
  -- Under which fence the item was released; null: it was not.
  add column released_fence bigint;

-- What a tool worker claims; null: all tools, and the default queue.
alter table workers
  add column tools json,
  add column queue_names json;

-- As in 0022_child_places.sql, with the items on named queues.
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
      (
        select
        from public.work_queue q
        where q.queue_key in (tenant || '/python_tool', tenant || '/java_tool')
        limit queued_max
      )
      union all
      (
        select
        from public.work_queue q
        where q.tenant_id = tenant
          and q.queue_name is not null
        limit queued_max
      )
    ) queued;
  end if;
end
$$;
$function$;
begin
  execute replace(function, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;
