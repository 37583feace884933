-- works from: 13
-- Retention: executions that ended long ago are removed, by policies that nobody has unless asked for.

create table retention_policies (
  tenant_id text not null,
  -- '': of all workflows of the tenant that do not say otherwise.
  workflow_id text not null,
  -- Days after the end; 0: kept for good; null: as the policy says that is less particular.
  completed_days integer check (completed_days between 0 and 36500),
  failed_days integer check (failed_days between 0 and 36500),
  cancelled_days integer check (cancelled_days between 0 and 36500),
  updated_at timestamptz not null,
  primary key (tenant_id, workflow_id),
  check (coalesce(completed_days, failed_days, cancelled_days) is not null)
);

-- What is left of an execution that was removed: enough to prove the seals that cover its events.
create table retired_executions (
  execution_id uuid primary key,
  tenant_id text not null,
  -- The entry of the audit log that tells of it.
  retirement_id uuid not null,
  -- SHA-256 of each event as it was sealed, in order from sequence 1.
  event_hashes bytea not null check (octet_length(event_hashes) % 32 = 0)
);

create index retired_executions_by_retirement on retired_executions (retirement_id);

alter table retired_executions alter column event_hashes set storage external;

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['retention_policies', 'retired_executions'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;

-- Events may be deleted once their execution is on record as removed, and not before.
create or replace function refuse_change() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'events' then
    if exists (select from retired_executions r where r.execution_id = old.execution_id) then
      return old;
    end if;
  end if;
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

-- Only `retire_executions` adds to the record, with the rights of the owner; a runtime that owns
-- nothing cannot.
create function refuse_unless_owner() returns trigger
language plpgsql
as $$
begin
  if current_user <> (
    select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid
  ) then
    raise exception '% of % is refused: executions are removed by retire_executions()', tg_op,
      tg_table_name
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger refuse_insert before insert on retired_executions
  for each row execute function refuse_unless_owner();
create trigger refuse_change before update or delete on retired_executions
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on retired_executions
  for each statement execute function refuse_change();

alter table retired_executions enable always trigger refuse_insert;
alter table retired_executions enable always trigger refuse_change;
alter table retired_executions enable always trigger refuse_truncate;

-- Whether nothing needs the execution any more, whatever the policies say. Who goes before it, its
-- parent and the run it goes on from, is for the caller to look at.
create function may_be_retired(e executions) returns boolean
language sql
stable
as $$
  select e.status in ('completed', 'failed', 'cancelled')
    -- So long an Idempotency-Key counts, and longer than a message to a webhook is tried.
    and e.completed_at <= clock_timestamp() - interval '1 day'
    and not exists (
      select
      from executions c
      where c.parent_execution_id = e.id
        and c.status in ('running', 'paused')
    )
    and not exists (select from timers t where t.execution_id = e.id)
    and not exists (
      select
      from webhook_deliveries d
      where d.execution_id = e.id
        and d.status = 'pending'
    )
    -- A fire that was never settled is started again under the same id.
    and not exists (
      select
      from schedules s
      where s.tenant_id = e.tenant_id
        and s.starting_fire_at <= clock_timestamp() - interval '1 day'
    )
    and not exists (
      select
      from events v
      where v.execution_id = e.id
        and v.created_at >= coalesce(
          (select w.covers_to from audit_windows w order by w.window_number desc limit 1),
          '-infinity'
        )
    )
$$;

-- The run that an execution goes on from, as long as it is there.
create function earlier_run(execution uuid) returns uuid
language sql
stable
as $$
  select b.id
  from events v
  join executions b on b.id = replace(v.payload ->> 'continued_from', 'exec_', '')::uuid
  where v.execution_id = execution
    and v.sequence = 1
$$;

-- The run that an execution has gone on as.
create function next_run(e executions) returns uuid
language sql
stable
as $$
  select replace(v.payload ->> 'continued_as', 'exec_', '')::uuid
  from events v
  where v.execution_id = e.id
    and v.sequence = e.last_sequence
$$;

-- Removes executions with all that belongs to them, or none of them: 0 is the answer when one may
-- not go, or not any more. `leaving` is [{"id", "sequence", "hashes"}], where `sequence` is the last one
-- and `hashes` those of all events in hex. A parent goes before its children or with them, and runs
-- in their order, so that whoever follows them finds the last. `told` is the payload of the entry in
-- the audit log.
create function retire_executions(
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
  delete from events v where v.execution_id = any(ids);

  insert into audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (retirement, tenant, null, 'executions_retired', actor, told, audit_stamp());
  return held;
end
$$;
