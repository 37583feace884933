-- The audit log: the tables and columns of the PostgreSQL migration of the same number. What an
-- execution went through is told by its events; `audit_log` holds the managing requests that no
-- event tells of. Neither may be changed afterwards.
create table audit_log (
  audit_id text not null primary key,
  tenant_id text not null,
  execution_id text,
  event_type text not null check (event_type glob '[a-z]*' and event_type not glob '*[^a-z_]*'),
  actor_id text not null,
  payload text not null,
  created_at integer not null
) strict;

insert into audit_log (audit_id, tenant_id, event_type, actor_id, payload, created_at)
select audit_id, tenant_id, event_type, actor_id, payload, created_at
from memory_audit;

drop table memory_audit;

create index audit_log_by_age on audit_log (tenant_id, created_at desc, audit_id desc);
create index audit_log_by_time on audit_log (created_at);
create index audit_log_by_execution on audit_log (execution_id) where execution_id is not null;

-- Always added to at its end.
create index events_by_time on events (created_at);

-- The chains of seals, see src/shared/domain/audit/seal.ts.
create table audit_windows (
  window_number integer primary key check (window_number >= 1),
  covers_from integer not null,
  covers_to integer not null,
  previous_hash text not null check (length(previous_hash) = 64),
  hash text not null check (length(hash) = 64),
  sealed_at integer not null,
  check (covers_from < covers_to)
) strict;

create table audit_seals (
  tenant_id text not null,
  seal_number integer not null check (seal_number >= 1),
  window_number integer not null,
  covers_from integer not null,
  covers_to integer not null,
  item_count integer not null check (item_count >= 1),
  members text not null,
  previous_hash text not null check (length(previous_hash) = 64),
  hash text not null check (length(hash) = 64),
  primary key (tenant_id, seal_number)
) strict;

create index audit_seals_by_window on audit_seals (window_number);

create trigger events_refuse_update before update on events begin
  select raise(abort, 'UPDATE of events is refused: what happened is only ever added to');
end;
create trigger events_refuse_delete before delete on events begin
  select raise(abort, 'DELETE of events is refused: what happened is only ever added to');
end;
create trigger audit_log_refuse_update before update on audit_log begin
  select raise(abort, 'UPDATE of audit_log is refused: what happened is only ever added to');
end;
create trigger audit_log_refuse_delete before delete on audit_log begin
  select raise(abort, 'DELETE of audit_log is refused: what happened is only ever added to');
end;
create trigger audit_windows_refuse_update before update on audit_windows begin
  select raise(abort, 'UPDATE of audit_windows is refused: what happened is only ever added to');
end;
create trigger audit_windows_refuse_delete before delete on audit_windows begin
  select raise(abort, 'DELETE of audit_windows is refused: what happened is only ever added to');
end;
create trigger audit_seals_refuse_update before update on audit_seals begin
  select raise(abort, 'UPDATE of audit_seals is refused: what happened is only ever added to');
end;
create trigger audit_seals_refuse_delete before delete on audit_seals begin
  select raise(abort, 'DELETE of audit_seals is refused: what happened is only ever added to');
end;
