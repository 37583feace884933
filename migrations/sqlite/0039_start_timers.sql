-- works from: 14
-- Executions that begin later, and deadlines of their start. SQLite changes no constraint of a table, so
-- the table is made anew.
create table timers_anew (
  execution_id text not null,
  name text not null,
  tenant_id text not null,
  due_at integer not null,
  purpose text not null check (
    purpose in (
      'start_after', 'start_deadline', 'wait', 'approval_timeout', 'workflow_timeout', 'child_ended',
      'parent_ended', 'function_wait', 'function_timeout'
    )
  ),
  node_id text,
  visit integer check (visit >= 0),
  left_ms integer check (left_ms > 0),
  primary key (execution_id, name)
) strict, without rowid;

insert into timers_anew (execution_id, name, tenant_id, due_at, purpose, node_id, visit, left_ms)
select execution_id, name, tenant_id, due_at, purpose, node_id, visit, left_ms
from timers;

drop table timers;
alter table timers_anew rename to timers;
create index timers_by_due on timers (due_at);
