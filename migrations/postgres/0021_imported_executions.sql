-- works from: 14
-- Executions that came in a file: their events keep the times they have, and so they are no items of the
-- windows that were sealed here. What vouches for them is the entry of the audit log that tells of the import.

-- One row for each time an execution was imported, never changed. An execution is there again after a removal
-- as long as its last row names that removal.
create table imported_executions (
  -- Of the entry in the audit log.
  import_id uuid primary key,
  execution_id uuid not null,
  tenant_id text not null,
  imported_by text not null,
  imported_at timestamptz not null,
  -- Of the document, in hex.
  document_sha256 text not null check (document_sha256 ~ '^[0-9a-f]{64}$'),
  -- The removal that is taken back; null: it was never here before.
  retirement_id uuid,
  -- SHA-256 of each event as a seal would have it, in order from sequence 1.
  event_hashes bytea not null check (octet_length(event_hashes) % 32 = 0)
);

create index imported_executions_by_execution on imported_executions (execution_id);

alter table imported_executions alter column event_hashes set storage external;

-- Definitions that came with them. They are found by their id alone, so none is ever the newest revision of
-- a workflow, nor started by its name.
create table imported_definitions (
  definition_id uuid primary key,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  -- Where it was registered.
  revision integer not null check (revision >= 1),
  ir_hash text not null,
  ir json not null,
  actor_id text not null,
  created_at timestamptz not null
);

-- An execution that was imported again may be removed again.
alter table retired_executions drop constraint retired_executions_pkey;
alter table retired_executions add primary key (execution_id, retirement_id);

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['imported_executions', 'imported_definitions'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;

-- Only functions with the rights of the owner add to the records; a runtime that owns nothing cannot.
create or replace function refuse_unless_owner() returns trigger
language plpgsql
as $$
begin
  if current_user <> (
    select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid
  ) then
    raise exception '% of % is refused: executions are removed by retire_executions() and imported by import_execution()',
      tg_op, tg_table_name
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger refuse_change before update on imported_definitions
  for each row execute function refuse_change();
create trigger refuse_insert before insert on imported_executions
  for each row execute function refuse_unless_owner();
create trigger refuse_change before update or delete on imported_executions
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on imported_executions
  for each statement execute function refuse_change();

alter table imported_executions enable always trigger refuse_insert;
alter table imported_executions enable always trigger refuse_change;
alter table imported_executions enable always trigger refuse_truncate;

-- As in 0016_event_partitions.sql, but not while the execution is there again.
create or replace function refuse_change() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' and (tg_table_name = 'events' or starts_with(tg_table_name, 'events_')) then
    if exists (select from retired_executions r where r.execution_id = old.execution_id)
      and not exists (select from executions e where e.id = old.execution_id)
    then
      return old;
    end if;
  end if;
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- The removal of an execution that no import has taken back; null: there is none.
create function open_retirement(execution uuid) returns retired_executions
language sql
stable
as $$
  select r
  from retired_executions r
  where r.execution_id = execution
    and not exists (
      select
      from imported_executions i
      where i.execution_id = r.execution_id
        and i.retirement_id = r.retirement_id
    )
  limit 1
$$;

-- Adds an execution that has ended with its whole history and leaves the entry in the audit log, or changes
-- nothing and says why: 'there', an execution has this id; 'left', what is left of an earlier removal does
-- not fit; 'definition', another has its id; 'parent', that one is another tenant's; 'ahead', it is of a time to
-- come. `hashes` are those of
-- all events in hex, `retirement` the removal that is taken back.
create function import_execution(
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
set search_path from current
as $$
declare
  execution constant uuid := (arriving ->> 'id')::uuid;
  last_sequence constant int := length(hashes) / 64;
  stamp constant timestamptz := audit_stamp();
  removed retired_executions;
  found_hash text;
  refusal text;
begin
  if not has_table_privilege(session_user, 'executions', 'insert') then
    raise exception '% may not import executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  if execution > uuid_floor(stamp + ahead_ms_max * interval '1 millisecond')
    or (arriving ->> 'completed_at')::timestamptz > stamp + ahead_ms_max * interval '1 millisecond'
  then
    return 'ahead';
  end if;

  begin
    -- Of a removed execution they may lie in a partition that is not dropped yet. Where somebody else has
    -- imported it just now, the trigger refuses.
    if (open_retirement(execution)).retirement_id is not null then
      delete from events v where v.execution_id = execution;
    end if;

    insert into executions (
      id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
      parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at
    )
    select execution, tenant, a.definition_id, a.workflow_id, a.workflow_version, a.shard, a.priority,
      a.parent_id, a.status, last_sequence, a.error, a.created_at, a.completed_at, a.completed_at
    from json_to_record(arriving) as a (
      definition_id uuid, workflow_id text, workflow_version text, shard smallint, priority int,
      parent_id uuid, status text, error text, created_at timestamptz, completed_at timestamptz
    )
    on conflict (id) do nothing;
    refusal := case when not found then 'there' end;

    removed := open_retirement(execution);
    if refusal is null and (
      removed.retirement_id is distinct from retirement
      or removed.tenant_id is distinct from case when retirement is not null then tenant end
      or removed.event_hashes is distinct from
        case when retirement is not null then decode(hashes, 'hex') end
      -- Never removed, or taken back already, and yet not there.
      or retirement is null and (
        exists (select from retired_executions r where r.execution_id = execution)
        or exists (select from imported_executions i where i.execution_id = execution)
      )
    ) then
      refusal := 'left';
    end if;

    if refusal is null and exists (
      select
      from executions p
      where p.id = (arriving ->> 'parent_id')::uuid
        and p.tenant_id <> tenant
    ) then
      refusal := 'parent';
    end if;

    if refusal is null then
      insert into imported_definitions (
        definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
      )
      select d.definition_id, tenant, d.workflow_id, d.version, d.revision, d.ir_hash, d.ir, actor,
        stamp
      from json_to_record(definition) as d (
        definition_id uuid, workflow_id text, version text, revision int, ir_hash text, ir json
      )
      where not exists (
          select from definitions x where x.definition_id = d.definition_id
        )
      on conflict (definition_id) do nothing;
      select max(x.ir_hash)
      into found_hash
      from (
        select d.ir_hash
        from definitions d
        where d.definition_id = (arriving ->> 'definition_id')::uuid
          and d.tenant_id = tenant
        union all
        select d.ir_hash
        from imported_definitions d
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

  insert into imported_executions (
    import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256, retirement_id,
    event_hashes
  )
  values (
    entry, execution, tenant, actor, stamp, document, retirement, decode(hashes, 'hex')
  );

  insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
  select execution, v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
  from json_to_recordset(history) as v (
    sequence int, kind text, node_id text, payload json, actor_id text, created_at timestamptz
  )
  order by v.sequence;

  insert into snapshots (execution_id, sequence, body)
  select execution, last_sequence, snapshot
  where snapshot is not null;

  -- References are read from the events of windows, and these are in none.
  insert into artifact_references (tenant_id, hash, holder_id)
  select tenant, n.hash, execution
  from unnest(artifacts) as n (hash);

  insert into audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (entry, tenant, execution, 'execution_imported', actor, told, stamp);
  return 'imported';
end
$$;
