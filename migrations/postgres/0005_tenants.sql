-- What a tenant's status and limits are enforced with.

-- Read at every claim and by every loop of a scheduler, and nearly always empty.
create index tenants_inactive on tenants (id) where status <> 'active';

-- How many executions and queued work items a tenant may still have; null where there is no limit.
--
-- Each statement of a volatile function sees what has been committed by then. So the tenant is
-- locked first and counted afterwards: whoever waited for the lock counts what its holder wrote.
create function lock_tenant_room(
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
  perform from tenants t where t.id = tenant for no key update;
  if executions_max is not null then
    select executions_max - count(*)
    into executions_free
    from (
      select
      from executions e
      where e.tenant_id = tenant
        and e.status in ('running', 'paused')
      limit executions_max
    ) live;
  end if;
  if queued_max is not null then
    select queued_max - count(*)
    into queued_free
    from (
      select
      from work_queue q
      where q.queue_key in (tenant || '/python_tool', tenant || '/java_tool')
      limit queued_max
    ) queued;
  end if;
end
$$;

-- Whether a tenant may register a workflow of this id: it has one already, or fewer than it may.
create function lock_workflow_room(tenant text, workflow text, workflows_max bigint)
returns boolean
language plpgsql
volatile
as $$
begin
  perform from tenants t where t.id = tenant for no key update;
  return exists (
    select
    from definitions d
    where d.tenant_id = tenant
      and d.workflow_id = workflow
  ) or workflows_max > (
    select count(distinct d.workflow_id)
    from definitions d
    where d.tenant_id = tenant
  );
end
$$;

alter table tokens add column last_used_at timestamptz;
-- The token that took its place when it was rotated; it ends then, or after a grace.
alter table tokens add column replaced_by text;

-- Row-level security, for a runtime that connects as a role which owns nothing here: docs/security.md
-- says how to make one. It sees and writes the rows of the tenant in `svc.tenant`, all rows where
-- that is '*', and none where it is not set. The owner, who migrates, is not bound by it.
do $$
declare
  bound record;
  setting constant text := $sql$(select current_setting('svc.tenant', true))$sql$;
begin
  for bound in
    select c.table_name as name,
      case
        -- Processes of the runtime itself belong to no tenant.
        when c.table_name = 'workers' then
          format('%s in (%L, tenant_id) or tenant_id is null', setting, '*')
        else format('%s in (%L, %I)', setting, '*', c.column_name)
      end as rule
    from information_schema.columns c
    where c.table_schema = current_schema()
      and (c.column_name = 'tenant_id' or (c.table_name = 'tenants' and c.column_name = 'id'))
    union all
    -- What belongs to an execution is as visible as the execution.
    select t.name,
      format(
        '%s = %L or exists (select from executions e where e.id = execution_id)', setting, '*'
      )
    from unnest(array['events', 'snapshots', 'runnable', 'recorded_outputs']) as t (name)
  loop
    execute format('alter table %I enable row level security', bound.name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', bound.name, bound.rule,
      bound.rule
    );
  end loop;
end
$$;
