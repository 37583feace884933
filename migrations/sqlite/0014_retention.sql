-- works from: 13
-- Retention: the tables of the PostgreSQL migration of the same number. What is removed together is
-- removed by the adapter, in one transaction.
create table retention_policies (
  tenant_id text not null,
  workflow_id text not null,
  completed_days integer check (completed_days between 0 and 36500),
  failed_days integer check (failed_days between 0 and 36500),
  cancelled_days integer check (cancelled_days between 0 and 36500),
  updated_at integer not null,
  primary key (tenant_id, workflow_id),
  check (coalesce(completed_days, failed_days, cancelled_days) is not null)
) strict;

create table retired_executions (
  execution_id text not null primary key,
  tenant_id text not null,
  retirement_id text not null,
  event_hashes blob not null check (length(event_hashes) % 32 = 0)
) strict;

create index retired_executions_by_retirement on retired_executions (retirement_id);

-- Events may be deleted once their execution is on record as removed, and not before.
drop trigger events_refuse_delete;
create trigger events_refuse_delete before delete on events
when not exists (
  select 1
  from retired_executions as r
  where r.execution_id = old.execution_id
)
begin
  select raise(abort, 'DELETE of events is refused: what happened is only ever added to');
end;
create trigger retired_executions_refuse_update before update on retired_executions begin
  select raise(abort, 'UPDATE of retired_executions is refused: what happened is only ever added to');
end;
create trigger retired_executions_refuse_delete before delete on retired_executions begin
  select raise(abort, 'DELETE of retired_executions is refused: what happened is only ever added to');
end;
