-- The audit log. What an execution went through is told by its events; `audit_log` holds the
-- managing requests that no event tells of. Neither may be changed afterwards.
create table audit_log (
  audit_id uuid primary key,
  tenant_id text not null,
  execution_id uuid,
  event_type text not null check (event_type ~ '^[a-z]+(_[a-z]+)*$'),
  actor_id text not null,
  payload json not null,
  created_at timestamptz not null
);

insert into audit_log (audit_id, tenant_id, event_type, actor_id, payload, created_at)
select audit_id, tenant_id, event_type, actor_id, payload, created_at
from memory_audit;

drop table memory_audit;

create index audit_log_by_age on audit_log (tenant_id, created_at desc, audit_id desc);
create index audit_log_by_time on audit_log (created_at);
create index audit_log_by_execution on audit_log (execution_id) where execution_id is not null;

-- Events come in the order of time, so a summary of each megabyte finds a time. A tree would have
-- cost a sixth more of write-ahead log for every event, and this costs nothing that can be measured.
create index events_by_time on events using brin (created_at) with (autosummarize = on);

-- The chains of seals, see src/shared/domain/audit/seal.ts. A window is the one place where sealers
-- meet: whoever inserts the next number has sealed, and the others have not.
create table audit_windows (
  window_number integer primary key check (window_number >= 1),
  covers_from timestamptz not null,
  covers_to timestamptz not null,
  previous_hash text not null check (previous_hash ~ '^[0-9a-f]{64}$'),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  sealed_at timestamptz not null,
  check (covers_from < covers_to)
);

create table audit_seals (
  tenant_id text not null,
  seal_number integer not null check (seal_number >= 1),
  window_number integer not null,
  covers_from timestamptz not null,
  covers_to timestamptz not null,
  item_count integer not null check (item_count >= 1),
  -- JSON, kept to the letter, as its hash is.
  members text not null,
  previous_hash text not null check (previous_hash ~ '^[0-9a-f]{64}$'),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  primary key (tenant_id, seal_number)
);

create index audit_seals_by_window on audit_seals (window_number);

-- The time of a new entry: never within a window that is sealed, even if the clock was set back.
create function audit_stamp() returns timestamptz
language sql
volatile
as $$
  select greatest(
    date_trunc('milliseconds', clock_timestamp()),
    (select w.covers_to from audit_windows w order by w.window_number desc limit 1)
  )
$$;

create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

create trigger refuse_change before update or delete on events
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on events
  for each statement execute function refuse_change();
create trigger refuse_change before update or delete on audit_log
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on audit_log
  for each statement execute function refuse_change();
create trigger refuse_change before update or delete on audit_windows
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on audit_windows
  for each statement execute function refuse_change();
create trigger refuse_change before update or delete on audit_seals
  for each row execute function refuse_change();
create trigger refuse_truncate before truncate on audit_seals
  for each statement execute function refuse_change();

-- Also in sessions that replay for a replica, which leave out ordinary triggers.
alter table events enable always trigger refuse_change;
alter table events enable always trigger refuse_truncate;
alter table audit_log enable always trigger refuse_change;
alter table audit_log enable always trigger refuse_truncate;
alter table audit_windows enable always trigger refuse_change;
alter table audit_windows enable always trigger refuse_truncate;
alter table audit_seals enable always trigger refuse_change;
alter table audit_seals enable always trigger refuse_truncate;
