-- works from: 13
-- Events in partitions by time, where `svc retention partition` has been asked for it: execution ids are
-- UUIDs of version 7, so a range of ids is a span of time, and all events of an execution lie in one
-- partition. One whose executions are all removed is dropped, which costs nothing, where deleting its
-- rows would cost as much as writing them did.

-- Those that can be dropped. There are two more: `events_before` has what was there before, and
-- `events_other` what fits nowhere, such as ids by a clock that is far ahead.
create table event_partitions (
  partition_name text primary key,
  from_at timestamptz not null unique,
  to_at timestamptz not null,
  -- Inclusive and exclusive.
  from_id uuid not null,
  to_id uuid not null,
  -- When events were last deleted from it because others of it stay.
  swept_at timestamptz,
  check (from_at < to_at)
);

alter table event_partitions enable row level security;
create policy everybody_reads on event_partitions for select using (true);

-- The least UUID of version 7 of a moment.
create function uuid_floor(moment timestamptz) returns uuid
language sql
immutable
as $$
  select (
    lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20)
  )::uuid
$$;

-- As in 0014_retention.sql, for each partition too.
create or replace function refuse_change() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' and (tg_table_name = 'events' or starts_with(tg_table_name, 'events_')) then
    if exists (select from retired_executions r where r.execution_id = old.execution_id) then
      return old;
    end if;
  end if;
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- What a table needs to be a partition: nobody but the owner reaches it on its own.
create function protect_event_partition(name text) returns void
language plpgsql
set search_path from current
as $$
begin
  execute format(
    'create trigger refuse_change before update or delete on %1$I
       for each row execute function refuse_change();
     create trigger refuse_truncate before truncate on %1$I
       for each statement execute function refuse_change();
     alter table %1$I enable always trigger refuse_change;
     alter table %1$I enable always trigger refuse_truncate;
     alter table %1$I enable row level security',
    name
  );
end
$$;

-- The first step of two; between them `alter table events validate constraint events_before` reads the
-- whole table, which holds nobody up. For the owner. Answers where partitions are to begin.
create function prepare_event_partitions() returns timestamptz
language plpgsql
set search_path from current
as $$
declare
  begin_at constant timestamptz :=
    date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC' + interval '2 days';
begin
  if (select c.relkind from pg_class c where c.oid = to_regclass('events')) = 'p' then
    return null;
  end if;
  perform set_config('lock_timeout', '200ms', true);
  alter table events drop constraint if exists events_before;
  execute format(
    'alter table events add constraint events_before check (execution_id < %L) not valid',
    uuid_floor(begin_at)
  );
  return begin_at;
end
$$;

-- Takes back what `prepare_event_partitions` did: its constraint must not be there when its time comes.
create function abandon_event_partitions() returns void
language plpgsql
set search_path from current
as $$
begin
  perform set_config('lock_timeout', '200ms', true);
  if (select c.relkind from pg_class c where c.oid = to_regclass('events')) <> 'p' then
    alter table events drop constraint if exists events_before;
  end if;
end
$$;

-- The same for whoever finds that a process died in between, a day before new ids would be refused.
create function heal_event_partitions() returns boolean
language plpgsql
security definer
set search_path from current
as $$
begin
  if not exists (
    select
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    where t.oid = to_regclass('events')
      and t.relkind = 'r'
      and c.conname = 'events_before'
      and substring(pg_get_constraintdef(c.oid) from '''([0-9a-f-]{36})''')::uuid
        < uuid_floor(clock_timestamp() + interval '1 day')
  ) then
    return false;
  end if;
  perform abandon_event_partitions();
  return true;
end
$$;

create function finish_event_partitions(begin_at timestamptz, days int) returns void
language plpgsql
set search_path from current
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

  alter table events rename to events_before;
  alter index events_pkey rename to events_before_pkey;
  alter index events_by_time rename to events_before_by_time;
  create table events (
    like events_before including defaults including storage including constraints
  ) partition by range (execution_id);
  alter table events drop constraint events_before;
  alter table events add primary key (execution_id, sequence);
  create index events_by_time on events using brin (created_at) with (autosummarize = on);
  create trigger refuse_truncate before truncate on events
    for each statement execute function refuse_change();
  alter table events enable always trigger refuse_truncate;
  alter table events enable row level security;
  execute format('create policy one_tenant on events using (%s) with check (%s)', rule, rule);
  for granted in
    select a.privilege_type as privilege, a.grantee
    from pg_class c
    cross join lateral aclexplode(c.relacl) a
    where c.oid = to_regclass('events_before')
      and a.grantee <> 0
      and a.grantee <> c.relowner
  loop
    execute format(
      'grant %s on events to %I', granted.privilege, pg_get_userbyid(granted.grantee)
    );
  end loop;

  execute format(
    'alter table events attach partition events_before for values from (minvalue) to (%L)',
    uuid_floor(begin_at)
  );
  alter table events_before drop constraint events_before;
  create table events_other (like events including all);
  perform protect_event_partition('events_other');
  alter table events attach partition events_other default;
  perform add_event_partition(begin_at, begin_at + days * interval '1 day');
  perform add_event_partition(
    begin_at + days * interval '1 day', begin_at + 2 * days * interval '1 day'
  );
end
$$;

create function add_event_partition(begin_at timestamptz, end_at timestamptz) returns void
language plpgsql
set search_path from current
as $$
declare
  name constant text :=
    'events_' || to_char(begin_at at time zone 'UTC', 'YYYYMMDD_HH24MI');
begin
  execute format('create table %I (like events including all)', name);
  perform protect_event_partition(name);
  execute format(
    'alter table events attach partition %I for values from (%L) to (%L)',
    name, uuid_floor(begin_at), uuid_floor(end_at)
  );
  insert into event_partitions (partition_name, from_at, to_at, from_id, to_id)
  values (name, begin_at, end_at, uuid_floor(begin_at), uuid_floor(end_at));
end
$$;

-- Makes the partition after the last, if that one has begun or will within as long as it lasts. Nobody
-- waits for its locks longer than they are waited for here. True: it made one.
create function extend_event_partitions() returns boolean
language plpgsql
security definer
set search_path from current
as $$
declare
  newest record;
begin
  select p.from_at, p.to_at
  into newest
  from event_partitions p
  order by p.from_at desc
  limit 1;
  if newest is null or newest.from_at - (newest.to_at - newest.from_at) > clock_timestamp() then
    return false;
  end if;
  perform set_config('lock_timeout', '100ms', true);
  perform add_event_partition(newest.to_at, newest.to_at + (newest.to_at - newest.from_at));
  return true;
end
$$;

-- Drops a partition whose executions are all on record as removed. Everything is looked at before any
-- lock is asked for; executions may still begin with an id of that time, so they are looked for once more
-- under it. False: something of it is still there.
create function drop_event_partition(name text) returns boolean
language plpgsql
security definer
set search_path from current
as $$
declare
  span record;
  current_id uuid;
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  if exists (select from executions e where e.id >= span.from_id and e.id < span.to_id) then
    return false;
  end if;
  -- From one execution to the next by the index, however many events they have.
  select v.execution_id
  into current_id
  from events v
  where v.execution_id >= span.from_id
    and v.execution_id < span.to_id
  order by v.execution_id
  limit 1;
  while current_id is not null loop
    if not exists (select from retired_executions r where r.execution_id = current_id) then
      return false;
    end if;
    select v.execution_id
    into current_id
    from events v
    where v.execution_id > current_id
      and v.execution_id < span.to_id
    order by v.execution_id
    limit 1;
  end loop;
  perform set_config('lock_timeout', '100ms', true);
  execute format('lock table only events, only %I in access exclusive mode', name);
  if exists (select from executions e where e.id >= span.from_id and e.id < span.to_id) then
    return false;
  end if;
  execute format('drop table %I', name);
  delete from event_partitions p where p.partition_name = name;
  return true;
end
$$;

create function note_event_partition_swept(name text) returns void
language sql
security definer
set search_path from current
as $$
  update event_partitions p set swept_at = clock_timestamp() where p.partition_name = name
$$;

-- As in 0014_retention.sql, but for the events.
create or replace function retire_executions(
  retirement uuid,
  tenant text,
  actor text,
  told json,
  leaving json
) returns bigint
language plpgsql
security definer
set search_path from current
as $$
declare
  ids uuid[];
  items uuid[];
  held bigint;
begin
  if not has_table_privilege(session_user, 'executions', 'delete') then
    raise exception '% may not remove executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  select array_agg(l.id order by l.id)
  into ids
  from json_to_recordset(leaving) as l (id uuid);
  perform from executions e where e.id = any(ids) order by e.id for update;
  select count(*)
  into held
  from executions e
  join json_to_recordset(leaving) as l (id uuid, sequence int, hashes text) on l.id = e.id
  where e.tenant_id = tenant
    and e.last_sequence = l.sequence
    and length(l.hashes) = l.sequence * 64
    and may_be_retired(e)
    and not exists (
      select
      from executions p
      where p.id = e.parent_execution_id
        and p.id <> all(ids)
    )
    and coalesce(earlier_run(e.id) = any(ids), true);
  if held is distinct from json_array_length(leaving) then
    return 0;
  end if;

  insert into retired_executions (execution_id, tenant_id, retirement_id, event_hashes)
  select l.id, tenant, retirement, decode(l.hashes, 'hex')
  from json_to_recordset(leaving) as l (id uuid, hashes text);

  -- A schedule that looks after the runs it has started goes on from the next.
  update schedules s
  set last_execution_id = n.next,
    turn = s.turn + 1
  from (
    select e.id, next_run(e) as next
    from executions e
    where e.id = any(ids)
  ) n
  where s.last_execution_id = n.id
    and n.next is not null;

  select coalesce(array_agg((v.payload ->> 'work_item_id')::uuid), '{}')
  into items
  from events v
  where v.execution_id = any(ids)
    and v.kind = 'NodeScheduled'
    and v.payload ->> 'work_item_id' is not null;

  delete from executions e where e.id = any(ids);
  delete from snapshots s where s.execution_id = any(ids);
  delete from runnable r where r.execution_id = any(ids);
  delete from recorded_outputs r where r.execution_id = any(ids);
  delete from execution_usage u where u.execution_id = any(ids);
  delete from work_items i where i.work_item_id = any(items) and i.execution_id = any(ids);
  delete from dead_letters d where d.work_item_id = any(items) and d.execution_id = any(ids);
  -- Those of a partition go with it, or are swept from it later.
  delete from events v
  where v.execution_id = any(ids)
    and not exists (
      select
      from event_partitions p
      where v.execution_id >= p.from_id
        and v.execution_id < p.to_id
    );

  insert into audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (retirement, tenant, null, 'executions_retired', actor, told, audit_stamp());
  return held;
end
$$;
