-- Schedules: workflows that are started by the clock. A fire is decided by one update of its row;
-- the execution it starts has an id that follows from schedule and fire.
create table schedules (
  schedule_id text not null primary key,
  tenant_id text not null,
  name text not null,
  workflow_id text not null,
  -- Null: the version registered last, at each fire.
  workflow_version text,
  -- JSON.
  input text not null,
  cron_expression text,
  every text,
  timezone text not null,
  overlap_policy text not null
    check (overlap_policy in ('skip', 'queue', 'allow', 'cancel_previous')),
  catchup_window_secs integer not null check (catchup_window_secs >= 0),
  paused integer not null check (paused in (0, 1)),
  next_fire_at integer,
  -- The fire that waits for the end of the execution before it.
  waiting_fire_at integer,
  -- The fire whose execution is being started.
  starting_fire_at integer,
  late_fires integer not null default 0 check (late_fires >= 0),
  -- When somebody must look at the row.
  due_at integer,
  last_fire_at integer,
  last_execution_id text,
  last_error text,
  started integer not null default 0,
  skipped integer not null default 0,
  missed integer not null default 0,
  failed integer not null default 0,
  -- Changes by its author; and all changes, which is what a change is decided on.
  revision integer not null default 1 check (revision > 0),
  turn integer not null default 0 check (turn >= 0),
  created_at integer not null,
  updated_at integer not null,
  check ((cron_expression is null) <> (every is null)),
  check (not paused or next_fire_at is null),
  unique (tenant_id, name)
) strict;

create index schedules_by_age on schedules (tenant_id, created_at desc, schedule_id desc);
create index schedules_by_due on schedules (due_at) where due_at is not null;
