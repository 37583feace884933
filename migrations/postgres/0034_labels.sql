-- works from: 14
-- Labels of executions. The history has them too; the index finds executions by a label, in the order of the list.
create table execution_labels (
  execution_id uuid not null,
  name text not null,
  value text not null,
  tenant_id text not null,
  -- That of the execution.
  created_at timestamptz not null,
  primary key (execution_id, name)
);

create index execution_labels_by_value on execution_labels (
  tenant_id, name, value, created_at desc, execution_id desc
);

-- As for every table of tenants, see 0005_tenants.sql.
alter table execution_labels enable row level security;
create policy one_tenant on execution_labels
  using ((select current_setting('svc.tenant', true)) in ('*', tenant_id))
  with check ((select current_setting('svc.tenant', true)) in ('*', tenant_id));

-- As in 0033_items_of_removed_executions.sql: retention removes the labels of an execution, too.
create or replace function public.retire_executions(
  retirement uuid,
  tenant text,
  actor text,
  told json,
  leaving json
) returns bigint
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  ids uuid[];
  items uuid[];
  held bigint;
begin
  if not has_table_privilege(session_user, 'public.executions', 'delete') then
    raise exception '% may not remove executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  select array_agg(l.id order by l.id)
  into ids
  from json_to_recordset(leaving) as l (id uuid);
  perform from public.executions e where e.id = any(ids) order by e.id for update;
  select count(*)
  into held
  from public.executions e
  join json_to_recordset(leaving) as l (id uuid, sequence int, hashes text) on l.id = e.id
  where e.tenant_id = tenant
    and e.last_sequence = l.sequence
    and length(l.hashes) = l.sequence * 64
    and public.may_be_retired(e)
    and not exists (
      select
      from public.executions p
      where p.id = e.parent_execution_id
        and p.id <> all(ids)
    )
    and coalesce(public.earlier_run(e.id) = any(ids), true);
  if held is distinct from json_array_length(leaving) then
    return 0;
  end if;

  insert into public.retired_executions (execution_id, tenant_id, retirement_id, event_hashes)
  select l.id, tenant, retirement, decode(l.hashes, 'hex')
  from json_to_recordset(leaving) as l (id uuid, hashes text);

  -- A schedule that follows the runs it has started continues with the next.
  update public.schedules s
  set last_execution_id = n.next,
    turn = s.turn + 1
  from (
    select e.id, public.next_run(e) as next
    from public.executions e
    where e.id = any(ids)
  ) n
  where s.last_execution_id = n.id
    and n.next is not null;

  select coalesce(array_agg(distinct (v.payload ->> 'work_item_id')::uuid), '{}')
  into items
  from public.events v
  where v.execution_id = any(ids)
    and v.kind in ('NodeScheduled', 'NodeResumed', 'RetryScheduled')
    and v.payload ->> 'work_item_id' is not null;

  delete from public.executions e where e.id = any(ids);
  delete from public.approvals a where a.execution_id = any(ids);
  delete from public.execution_labels l where l.execution_id = any(ids);
  delete from public.snapshots s where s.execution_id = any(ids);
  delete from public.runnable r where r.execution_id = any(ids);
  delete from public.recorded_outputs r where r.execution_id = any(ids);
  delete from public.execution_usage u where u.execution_id = any(ids);
  delete from public.work_items i where i.work_item_id = any(items) and i.execution_id = any(ids);
  delete from public.dead_letters d where d.work_item_id = any(items) and d.execution_id = any(ids);
  -- Those of a partition go with it, or are swept from it later.
  delete from public.events v
  where v.execution_id = any(ids)
    and not exists (
      select
      from public.event_partitions p
      where v.execution_id >= p.from_id
        and v.execution_id < p.to_id
    );

  insert into public.audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (retirement, tenant, null, 'executions_retired', actor, told, public.audit_stamp());
  return held;
end
$$;
