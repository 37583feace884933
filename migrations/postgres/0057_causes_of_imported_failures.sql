-- works from: 14
-- An imported execution that failed has the class, the node and the cause of its failure, as one that failed here. A
-- process that doesn't know them names none, and they stay null.
--
-- `public` is replaced by the schema that the tables are in.
do $migration$
declare
  function constant text := $function$
create or replace function public.import_execution(
  entry uuid,
  tenant text,
  actor text,
  told json,
  document text,
  hashes text,
  retirement uuid,
  arriving json,
  history json,
  definition json,
  snapshot text,
  artifacts text[],
  ahead_ms_max int
) returns text
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  execution constant uuid := (arriving ->> 'id')::uuid;
  last_sequence constant int := length(hashes) / 64;
  stamp constant timestamptz := public.audit_stamp();
  removed public.retired_executions;
  found_hash text;
  refusal text;
begin
  if not has_table_privilege(session_user, 'public.executions', 'insert') then
    raise exception '% may not import executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  if execution > public.uuid_floor(stamp + ahead_ms_max * interval '1 millisecond')
    or (arriving ->> 'completed_at')::timestamptz > stamp + ahead_ms_max * interval '1 millisecond'
  then
    return 'ahead';
  end if;

  begin
    -- Of a removed execution they may lie in a partition that is not dropped yet. Where somebody else has
    -- imported it just now, the trigger refuses.
    if (public.open_retirement(execution)).retirement_id is not null then
      delete from public.events v where v.execution_id = execution;
    end if;

    insert into public.executions (
      id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
      parent_execution_id, status, last_sequence, error, error_class, error_node_id, cause_key,
      created_at, updated_at, completed_at
    )
    select execution, tenant, a.definition_id, a.workflow_id, a.workflow_version, a.shard, a.priority,
      a.parent_id, a.status, last_sequence, a.error, a.error_class, a.error_node_id, a.cause_key,
      a.created_at, a.completed_at, a.completed_at
    from json_to_record(arriving) as a (
      definition_id uuid, workflow_id text, workflow_version text, shard smallint, priority int,
      parent_id uuid, status text, error text, error_class text, error_node_id text, cause_key bigint,
      created_at timestamptz, completed_at timestamptz
    )
    on conflict (id) do nothing;
    refusal := case when not found then 'there' end;

    removed := public.open_retirement(execution);
    if refusal is null and (
      removed.retirement_id is distinct from retirement
      or removed.tenant_id is distinct from case when retirement is not null then tenant end
      or removed.event_hashes is distinct from
        case when retirement is not null then decode(hashes, 'hex') end
      -- Never removed, or taken back already, and yet not there.
      or retirement is null and (
        exists (select from public.retired_executions r where r.execution_id = execution)
        or exists (select from public.imported_executions i where i.execution_id = execution)
      )
    ) then
      refusal := 'left';
    end if;

    if refusal is null and exists (
      select
      from public.executions p
      where p.id = (arriving ->> 'parent_id')::uuid
        and p.tenant_id <> tenant
    ) then
      refusal := 'parent';
    end if;

    if refusal is null then
      insert into public.imported_definitions (
        definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
      )
      select d.definition_id, tenant, d.workflow_id, d.version, d.revision, d.ir_hash, d.ir, actor,
        stamp
      from json_to_record(definition) as d (
        definition_id uuid, workflow_id text, version text, revision int, ir_hash text, ir json
      )
      where not exists (
          select from public.definitions x where x.definition_id = d.definition_id
        )
      on conflict (definition_id) do nothing;
      select max(x.ir_hash)
      into found_hash
      from (
        select d.ir_hash
        from public.definitions d
        where d.definition_id = (arriving ->> 'definition_id')::uuid
          and d.tenant_id = tenant
        union all
        select d.ir_hash
        from public.imported_definitions d
        where d.definition_id = (arriving ->> 'definition_id')::uuid
          and d.tenant_id = tenant
      ) x;
      if found_hash is distinct from definition ->> 'ir_hash' then
        refusal := 'definition';
      end if;
    end if;

    if refusal is not null then
      raise exception 'refused' using errcode = 'SV001';
    end if;
  exception
    when sqlstate 'SV001' then
      return refusal;
    when restrict_violation then
      return 'there';
  end;

  insert into public.imported_executions (
    import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256, retirement_id,
    event_hashes
  )
  values (
    entry, execution, tenant, actor, stamp, document, retirement, decode(hashes, 'hex')
  );

  insert into public.events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
  select execution, v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
  from json_to_recordset(history) as v (
    sequence int, kind text, node_id text, payload json, actor_id text, created_at timestamptz
  )
  order by v.sequence;

  insert into public.snapshots (execution_id, sequence, body)
  select execution, last_sequence, snapshot
  where snapshot is not null;

  -- References are read from the events of windows, and these are in none.
  insert into public.artifact_references (tenant_id, hash, holder_id)
  select tenant, n.hash, execution
  from unnest(artifacts) as n (hash);

  insert into public.audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (entry, tenant, execution, 'execution_imported', actor, told, stamp);
  return 'imported';
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;
