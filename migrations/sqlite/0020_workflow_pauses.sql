-- works from: 14
-- Pauses of whole workflows: nothing of one goes on until it is resumed.

create table workflow_pauses (
  tenant_id text not null,
  workflow_id text not null,
  -- Another with each pause: what was read of one is never taken for the next.
  pause_id text not null,
  paused_by text not null,
  reason text,
  paused_at integer not null,
  -- When a look through all its executions first found none that is not held.
  swept_at integer,
  -- Not null: it stands no more, and what it holds is being given back. The row goes when that is done.
  resumed_by text,
  resumed_at integer,
  primary key (tenant_id, workflow_id),
  check ((resumed_by is null) = (resumed_at is null))
) strict;

-- Executions that a pause of their workflow holds; written with the event that says so.
create table workflow_holds (
  execution_id text not null primary key,
  tenant_id text not null,
  workflow_id text not null
) strict;

create index workflow_holds_by_workflow on workflow_holds (tenant_id, workflow_id, execution_id);
