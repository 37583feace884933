-- works from: 14
-- Imported executions: the tables of the PostgreSQL migration of the same number. What belongs together is
-- written by the adapter, in one transaction.
create table imported_executions (
  import_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  imported_by text not null,
  imported_at integer not null,
  document_sha256 text not null check (length(document_sha256) = 64),
  retirement_id text,
  event_hashes blob not null check (length(event_hashes) % 32 = 0)
) strict;

create index imported_executions_by_execution on imported_executions (execution_id);

create table imported_definitions (
  definition_id text not null primary key,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null check (revision >= 1),
  ir_hash text not null,
  ir text not null,
  actor_id text not null,
  created_at integer not null
) strict;

create trigger imported_definitions_refuse_update before update on imported_definitions begin
  select raise(abort, 'UPDATE of imported_definitions is refused: a change is another revision');
end;
create trigger imported_executions_refuse_update before update on imported_executions begin
  select raise(abort, 'UPDATE of imported_executions is refused: what happened is only ever added to');
end;
create trigger imported_executions_refuse_delete before delete on imported_executions begin
  select raise(abort, 'DELETE of imported_executions is refused: what happened is only ever added to');
end;

-- An execution that was imported again may be removed again, so it may be on record more than once.
create table retired_again (
  execution_id text not null,
  tenant_id text not null,
  retirement_id text not null,
  event_hashes blob not null check (length(event_hashes) % 32 = 0),
  primary key (execution_id, retirement_id)
) strict;
insert into retired_again (execution_id, tenant_id, retirement_id, event_hashes)
select execution_id, tenant_id, retirement_id, event_hashes
from retired_executions;
drop trigger events_refuse_delete;
drop table retired_executions;
alter table retired_again rename to retired_executions;
create index retired_executions_by_retirement on retired_executions (retirement_id);
create trigger retired_executions_refuse_update before update on retired_executions begin
  select raise(abort, 'UPDATE of retired_executions is refused: what happened is only ever added to');
end;
create trigger retired_executions_refuse_delete before delete on retired_executions begin
  select raise(abort, 'DELETE of retired_executions is refused: what happened is only ever added to');
end;

-- As in 0014_retention.sql, but not while the execution is there again.
create trigger events_refuse_delete before delete on events
when not exists (
    select 1
    from retired_executions as r
    where r.execution_id = old.execution_id
  )
  or exists (
    select 1
    from executions as e
    where e.id = old.execution_id
  )
begin
  select raise(abort, 'DELETE of events is refused: what happened is only ever added to');
end;
