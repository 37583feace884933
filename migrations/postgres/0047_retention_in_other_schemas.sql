-- works from: 14
-- As in 0034_labels.sql, in the schema that the tables are in: 0033 and 0034 made the function in `public`. In an
-- installation with another schema, retention left labels, approvals and some items of removed executions.
do $migration$
declare
  function constant text := $function$
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
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
  -- Another installation may have its tables in `public`.
  if current_schema() <> 'public' and to_regclass('public.executions') is null and exists (
    select
    from pg_proc p
    where p.oid = to_regprocedure('public.retire_executions(uuid, text, text, json, json)')
      and pg_has_role(p.proowner, 'usage')
  ) then
    drop function public.retire_executions(uuid, text, text, json, json);
  end if;
end
$migration$;
