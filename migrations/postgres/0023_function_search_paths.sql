-- works from: 14
-- PostgreSQL looks for tables and types in the caller's temporary schema before all others, unless a search path
-- names that schema. A role with the right to make temporary tables could therefore slip its own table, with a
-- trigger, under a function that runs with the rights of the owner. Every function is created again: its body
-- names the schema of each table, sequence and function, and those that run as the owner or in a trigger search
-- `pg_temp` last. The others keep no search path of their own, since a function that has one is never inlined.
--
-- Nothing else changes, save that `shrink_event_partition` needs no temporary table any more.
--
-- `public` is replaced by the schema that the tables are in.
do $migration$
declare
  functions constant text := $functions$
create or replace function public.audit_stamp() returns timestamptz
language sql
volatile
as $$
  select greatest(
    date_trunc('milliseconds', clock_timestamp()),
    (select w.covers_to from public.audit_windows w order by w.window_number desc limit 1)
  )
$$;

create or replace function public.refuse_change() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and (tg_table_name = 'events' or starts_with(tg_table_name, 'events_')) then
    if exists (select from public.retired_executions r where r.execution_id = old.execution_id)
      and not exists (select from public.executions e where e.id = old.execution_id)
    then
      return old;
    end if;
  end if;
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

create or replace function public.refuse_unless_owner() returns trigger
language plpgsql
set search_path = public, pg_temp
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

create or replace function public.lock_workflow_room(
  tenant text,
  workflow text,
  workflows_max bigint
) returns boolean
language plpgsql
volatile
as $$
begin
  perform from public.tenants t where t.id = tenant for no key update;
  return exists (
    select
    from public.definitions d
    where d.tenant_id = tenant
      and d.workflow_id = workflow
  ) or workflows_max > (
    select count(distinct d.workflow_id)
    from public.definitions d
    where d.tenant_id = tenant
  );
end
$$;

create or replace function public.execution_chain(execution uuid)
returns table (id uuid, parent_id uuid, definition_id uuid)
language sql
stable
as $$
  with recursive chain as (
    select e.id, e.parent_execution_id, e.definition_id
    from public.executions e
    where e.id = execution
    union all
    select e.id, e.parent_execution_id, e.definition_id
    from chain c
    join public.executions e on e.id = c.parent_execution_id
  )
  select c.id, c.parent_execution_id, c.definition_id from chain c
$$;

create or replace function public.fence_epoch() returns bigint
language sql
stable
as $$
  select hashtextextended(
    pg_relation_filepath('public.lease_fence_seq'),
    (date_part('epoch', pg_postmaster_start_time()) * 1000000)::bigint
  ) & 9223372036854775807
$$;

create or replace function public.raise_fences() returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  -- A key of this function alone, held for two calls; those who come later find it done.
  perform pg_advisory_lock(1937138481, 0);
  if pg_sequence_last_value('public.fence_epoch_seq') is distinct from public.fence_epoch() then
    perform setval('public.lease_fence_seq', greatest(
      coalesce(pg_sequence_last_value('public.lease_fence_seq'), 1),
      floor(extract(epoch from clock_timestamp()) * 1048576)::bigint
    ));
    perform setval('public.fence_epoch_seq', public.fence_epoch());
  end if;
  perform pg_advisory_unlock(1937138481, 0);
  return true;
end
$$;

create or replace function public.fences_are_ahead() returns boolean
language sql
volatile
as $$
  select case
    when pg_sequence_last_value('public.fence_epoch_seq') = public.fence_epoch() then true
    else public.raise_fences()
  end
$$;

create or replace function public.may_be_retired(e public.executions) returns boolean
language sql
stable
as $$
  select e.status in ('completed', 'failed', 'cancelled')
    -- So long an Idempotency-Key counts, and longer than a message to a webhook is tried.
    and e.completed_at <= clock_timestamp() - interval '1 day'
    and not exists (
      select
      from public.executions c
      where c.parent_execution_id = e.id
        and c.status in ('running', 'paused')
    )
    and not exists (select from public.timers t where t.execution_id = e.id)
    and not exists (
      select
      from public.webhook_deliveries d
      where d.execution_id = e.id
        and d.status = 'pending'
    )
    -- A fire that was never settled is started again under the same id.
    and not exists (
      select
      from public.schedules s
      where s.tenant_id = e.tenant_id
        and s.starting_fire_at <= clock_timestamp() - interval '1 day'
    )
    and not exists (
      select
      from public.events v
      where v.execution_id = e.id
        and v.created_at >= coalesce(
          (select w.covers_to from public.audit_windows w order by w.window_number desc limit 1),
          '-infinity'
        )
    )
$$;

create or replace function public.earlier_run(execution uuid) returns uuid
language sql
stable
as $$
  select b.id
  from public.events v
  join public.executions b on b.id = replace(
    coalesce(v.payload ->> 'continued_from', v.payload #>> '{retried_from,execution_id}'),
    'exec_', ''
  )::uuid
  where v.execution_id = execution
    and v.sequence = 1
$$;

create or replace function public.next_run(e public.executions) returns uuid
language sql
stable
as $$
  select replace(v.payload ->> 'continued_as', 'exec_', '')::uuid
  from public.events v
  where v.execution_id = e.id
    and v.sequence = e.last_sequence
$$;

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

  -- A schedule that looks after the runs it has started goes on from the next.
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

  select coalesce(array_agg((v.payload ->> 'work_item_id')::uuid), '{}')
  into items
  from public.events v
  where v.execution_id = any(ids)
    and v.kind = 'NodeScheduled'
    and v.payload ->> 'work_item_id' is not null;

  delete from public.executions e where e.id = any(ids);
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

create or replace function public.protect_event_partition(name text) returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  execute format(
    'create trigger refuse_change before update or delete on public.%1$I
       for each row execute function public.refuse_change();
     create trigger refuse_truncate before truncate on public.%1$I
       for each statement execute function public.refuse_change();
     alter table public.%1$I enable always trigger refuse_change;
     alter table public.%1$I enable always trigger refuse_truncate;
     alter table public.%1$I enable row level security',
    name
  );
end
$$;

create or replace function public.prepare_event_partitions() returns timestamptz
language plpgsql
set search_path = public, pg_temp
as $$
declare
  begin_at constant timestamptz :=
    date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC' + interval '2 days';
begin
  if (select c.relkind from pg_class c where c.oid = to_regclass('public.events')) = 'p' then
    return null;
  end if;
  perform set_config('lock_timeout', '200ms', true);
  alter table public.events drop constraint if exists events_before;
  execute format(
    'alter table public.events
       add constraint events_before check (execution_id < %L) not valid',
    public.uuid_floor(begin_at)
  );
  return begin_at;
end
$$;

create or replace function public.abandon_event_partitions() returns void
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform set_config('lock_timeout', '200ms', true);
  if (select c.relkind from pg_class c where c.oid = to_regclass('public.events')) <> 'p' then
    alter table public.events drop constraint if exists events_before;
  end if;
end
$$;

create or replace function public.heal_event_partitions() returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if not exists (
    select
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    where t.oid = to_regclass('public.events')
      and t.relkind = 'r'
      and c.conname = 'events_before'
      and substring(pg_get_constraintdef(c.oid) from '''([0-9a-f-]{36})''')::uuid
        < public.uuid_floor(clock_timestamp() + interval '1 day')
  ) then
    return false;
  end if;
  perform public.abandon_event_partitions();
  return true;
end
$$;

create or replace function public.finish_event_partitions(begin_at timestamptz, days int)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  granted record;
  rule text;
begin
  perform set_config('lock_timeout', '200ms', true);
  select p.qual
  into rule
  from pg_policies p
  where p.schemaname = current_schema()
    and p.tablename = 'events'
    and p.policyname = 'one_tenant';

  alter table public.events rename to events_before;
  alter index public.events_pkey rename to events_before_pkey;
  alter index public.events_by_time rename to events_before_by_time;
  create table public.events (
    like public.events_before including defaults including storage including constraints
  ) partition by range (execution_id);
  alter table public.events drop constraint events_before;
  alter table public.events add primary key (execution_id, sequence);
  create index events_by_time on public.events using brin (created_at) with (autosummarize = on);
  create trigger refuse_truncate before truncate on public.events
    for each statement execute function public.refuse_change();
  alter table public.events enable always trigger refuse_truncate;
  alter table public.events enable row level security;
  execute format(
    'create policy one_tenant on public.events using (%s) with check (%s)', rule, rule
  );
  for granted in
    select a.privilege_type as privilege, a.grantee
    from pg_class c
    cross join lateral aclexplode(c.relacl) a
    where c.oid = to_regclass('public.events_before')
      and a.grantee <> 0
      and a.grantee <> c.relowner
  loop
    execute format(
      'grant %s on public.events to %I', granted.privilege, pg_get_userbyid(granted.grantee)
    );
  end loop;

  execute format(
    'alter table public.events
       attach partition public.events_before for values from (minvalue) to (%L)',
    public.uuid_floor(begin_at)
  );
  alter table public.events_before drop constraint events_before;
  create table public.events_other (like public.events including all);
  perform public.protect_event_partition('events_other');
  alter table public.events attach partition public.events_other default;
  perform public.add_event_partition(begin_at, begin_at + days * interval '1 day');
  perform public.add_event_partition(
    begin_at + days * interval '1 day', begin_at + 2 * days * interval '1 day'
  );
end
$$;

create or replace function public.add_event_partition(begin_at timestamptz, end_at timestamptz)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  name constant text :=
    'events_' || to_char(begin_at at time zone 'UTC', 'YYYYMMDD_HH24MI');
begin
  execute format('create table public.%I (like public.events including all)', name);
  perform public.protect_event_partition(name);
  execute format(
    'alter table public.events
       attach partition public.%I for values from (%L) to (%L)',
    name, public.uuid_floor(begin_at), public.uuid_floor(end_at)
  );
  insert into public.event_partitions (partition_name, from_at, to_at, from_id, to_id)
  values (name, begin_at, end_at, public.uuid_floor(begin_at), public.uuid_floor(end_at));
end
$$;

create or replace function public.extend_event_partitions() returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  newest record;
begin
  select p.from_at, p.to_at
  into newest
  from public.event_partitions p
  order by p.from_at desc
  limit 1;
  if newest is null or newest.from_at - (newest.to_at - newest.from_at) > clock_timestamp() then
    return false;
  end if;
  perform set_config('lock_timeout', '100ms', true);
  perform public.add_event_partition(newest.to_at, newest.to_at + (newest.to_at - newest.from_at));
  return true;
end
$$;

create or replace function public.drop_event_partition(name text) returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  span record;
  current_id uuid;
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from public.event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
  ) then
    return false;
  end if;
  -- From one execution to the next by the index, however many events they have.
  select v.execution_id
  into current_id
  from public.events v
  where v.execution_id >= span.from_id
    and v.execution_id < span.to_id
  order by v.execution_id
  limit 1;
  while current_id is not null loop
    if not exists (select from public.retired_executions r where r.execution_id = current_id) then
      return false;
    end if;
    select v.execution_id
    into current_id
    from public.events v
    where v.execution_id > current_id
      and v.execution_id < span.to_id
    order by v.execution_id
    limit 1;
  end loop;
  perform set_config('lock_timeout', '100ms', true);
  execute format('lock table only public.events, only public.%I in access exclusive mode', name);
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
  ) then
    return false;
  end if;
  execute format('drop table public.%I', name);
  delete from public.event_partitions p where p.partition_name = name;
  return true;
end
$$;

create or replace function public.note_event_partition_swept(name text) returns void
language sql
security definer
set search_path = public, pg_temp
as $$
  update public.event_partitions p set swept_at = clock_timestamp() where p.partition_name = name
$$;

create or replace function public.shrink_event_partition(
  name text,
  events_max int,
  bytes_min bigint
) returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  span record;
  staying uuid[];
  current_id uuid;
  kept constant text := name || '_kept';
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from public.event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  staying := array(
    select e.id
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
    order by e.id
    limit events_max + 1
  );
  if (
    select sum(e.last_sequence) > events_max
    from public.executions e
    where e.id = any(staying)
  ) then
    return false;
  end if;
  if pg_total_relation_size(to_regclass(format('public.%I', name))) < bytes_min + 4 * (
    select coalesce(sum(pg_column_size(v.payload) + 200), 0)
    from public.events v
    where v.execution_id = any(staying)
      and v.execution_id >= span.from_id
      and v.execution_id < span.to_id
  ) then
    return false;
  end if;
  -- From one execution to the next by the index, however many events they have.
  select v.execution_id
  into current_id
  from public.events v
  where v.execution_id >= span.from_id
    and v.execution_id < span.to_id
  order by v.execution_id
  limit 1;
  while current_id is not null loop
    if current_id <> all(staying) and not exists (
      select from public.retired_executions r where r.execution_id = current_id
    ) then
      return false;
    end if;
    select v.execution_id
    into current_id
    from public.events v
    where v.execution_id > current_id
      and v.execution_id < span.to_id
    order by v.execution_id
    limit 1;
  end loop;
  perform set_config('lock_timeout', '100ms', true);
  execute format('lock table only public.%I in access exclusive mode', name);
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
      and e.id <> all(staying)
  ) then
    return false;
  end if;
  execute format(
    'create unlogged table public.%2$I as
       select v.* from public.%1$I v where v.execution_id = any($1)',
    name, kept
  )
  using staying;
  execute format('alter table public.%I disable trigger refuse_truncate', name);
  execute format('truncate only public.%I', name);
  execute format('alter table public.%I enable always trigger refuse_truncate', name);
  execute format('insert into public.%1$I select s.* from public.%2$I s', name, kept);
  execute format('drop table public.%I', kept);
  return true;
end
$$;

create or replace function public.release_artifacts(holders uuid[]) returns void
language sql
set search_path = public, pg_temp
as $$
  with gone as (
    delete from public.artifact_references r
    where r.holder_id = any(holders)
    returning r.tenant_id, r.hash
  ),
  held as materialized (
    select a.tenant_id, a.hash
    from public.artifacts a
    where (a.tenant_id, a.hash) in (select g.tenant_id, g.hash from gone g)
    order by a.tenant_id, a.hash
    for update
  )
  update public.artifacts a
  set unused_since = clock_timestamp()
  from held h
  where a.tenant_id = h.tenant_id
    and a.hash = h.hash
$$;

create or replace function public.release_artifacts_of_executions() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform public.release_artifacts(array(select g.id from gone g));
  return null;
end
$$;

create or replace function public.release_artifacts_of_artifacts() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform public.release_artifacts(array(select g.upload_id from gone g));
  return null;
end
$$;

create or replace function public.open_retirement(execution uuid) returns public.retired_executions
language sql
stable
as $$
  select r
  from public.retired_executions r
  where r.execution_id = execution
    and not exists (
      select
      from public.imported_executions i
      where i.execution_id = r.execution_id
        and i.retirement_id = r.retirement_id
    )
  limit 1
$$;

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
$functions$;
begin
  execute replace(functions, 'public', quote_ident(current_schema()));
end
$migration$;
