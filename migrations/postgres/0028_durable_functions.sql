-- works from: 14
-- Durable functions have a queue of their own, and timers for what they wait for. The new constraints are
-- not checked against rows that are there: each satisfied a narrower one.
alter table work_items drop constraint work_items_queue_check;
alter table work_items add constraint work_items_queue_check check (queue in ('python_tool', 'java_tool', 'function')) not valid;
alter table work_queue drop constraint work_queue_queue_check;
alter table work_queue add constraint work_queue_queue_check check (queue in ('python_tool', 'java_tool', 'function', 'engine')) not valid;
alter table work_leases drop constraint work_leases_queue_check;
alter table work_leases add constraint work_leases_queue_check check (queue in ('python_tool', 'java_tool', 'function', 'engine')) not valid;
alter table retry_timers drop constraint retry_timers_queue_check;
alter table retry_timers add constraint retry_timers_queue_check check (queue in ('python_tool', 'java_tool', 'function', 'engine')) not valid;
alter table timers drop constraint timers_purpose_check;
alter table timers add constraint timers_purpose_check check (
  purpose in (
    'wait', 'approval_timeout', 'workflow_timeout', 'child_ended', 'parent_ended', 'function_wait',
    'function_timeout'
  )
) not valid;

-- As in 0025_claim_filters.sql, with the items of durable functions.
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
        where q.queue_key in (
          tenant || '/python_tool', tenant || '/java_tool', tenant || '/function'
        )
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
