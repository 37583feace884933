-- works from: 14
-- A partition of which little stays is written anew, so that its disk comes back before its last execution
-- is removed. Nothing changes for an execution that stays.

-- Keeps the events of the executions that are there and lets go of all others at once, where no more
-- than `events_max` stay and the table is at least `bytes_min` larger than four times of them. All others
-- must be on record as removed. That is looked at before any lock is asked for; as in
-- drop_event_partition, what may still begin is looked for under it. True: it is done.
create function shrink_event_partition(name text, events_max int, bytes_min bigint) returns boolean
language plpgsql
security definer
set search_path from current
as $$
declare
  span record;
  staying uuid[];
  current_id uuid;
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  staying := array(
    select e.id
    from executions e
    where e.id >= span.from_id
      and e.id < span.to_id
    order by e.id
    limit events_max + 1
  );
  if (
    select sum(e.last_sequence) > events_max
    from executions e
    where e.id = any(staying)
  ) then
    return false;
  end if;
  if pg_total_relation_size(to_regclass(quote_ident(name))) < bytes_min + 4 * (
    select coalesce(sum(pg_column_size(v.payload) + 200), 0)
    from events v
    where v.execution_id = any(staying)
      and v.execution_id >= span.from_id
      and v.execution_id < span.to_id
  ) then
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
    if current_id <> all(staying) and not exists (
      select from retired_executions r where r.execution_id = current_id
    ) then
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
  execute format('lock table only %I in access exclusive mode', name);
  if exists (
    select
    from executions e
    where e.id >= span.from_id
      and e.id < span.to_id
      and e.id <> all(staying)
  ) then
    return false;
  end if;
  execute format(
    'create temporary table staying_events on commit drop as
       select v.* from %I v where v.execution_id = any($1)',
    name
  )
  using staying;
  execute format('alter table %I disable trigger refuse_truncate', name);
  execute format('truncate only %I', name);
  execute format('alter table %I enable always trigger refuse_truncate', name);
  execute format('insert into %I select s.* from staying_events s', name);
  return true;
end
$$;

-- Removals look for events by an array of ids, which says nothing of partitions: each is looked into. The
-- least and the greatest id say which are needed. Of the rest of the function nothing changes.
do $$
declare
  body constant text := pg_get_functiondef(
    'retire_executions(uuid, text, text, json, json)'::regprocedure
  );
  bounded constant text := replace(
    body,
    'where v.execution_id = any(ids)',
    'where v.execution_id = any(ids)
    and v.execution_id >= ids[1]
    and v.execution_id <= ids[cardinality(ids)]'
  );
begin
  if bounded = body then
    raise exception 'retire_executions is not as expected';
  end if;
  execute bounded;
end
$$;
