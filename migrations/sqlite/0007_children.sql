-- The end of a child tells its parent, and the end of a parent its children, by a timer that is due
-- at once: a row in the transaction of the one, taken away by the transaction of the other.
create table timers_with_children (
  execution_id text not null,
  name text not null,
  tenant_id text not null,
  due_at integer not null,
  purpose text not null check (
    purpose in ('wait', 'approval_timeout', 'workflow_timeout', 'child_ended', 'parent_ended')
  ),
  node_id text,
  visit integer check (visit >= 0),
  primary key (execution_id, name)
) strict, without rowid;

insert into timers_with_children
select execution_id, name, tenant_id, due_at, purpose, node_id, visit
from timers;

drop table timers;
alter table timers_with_children rename to timers;
create index timers_by_due on timers (due_at);

create index executions_by_parent on executions (parent_execution_id, id)
  where parent_execution_id is not null;
