-- Schedules: workflows that are started by the clock. A fire is decided by one update of its row;
-- the execution it starts has an id that follows from schedule and fire.
create table schedules (
  schedule_id uuid primary key,
  tenant_id text not null,
  name text not null,
  workflow_id text not null,
  -- Null: the version registered last, at each fire.
  workflow_version text,
  input json not null,
  cron_expression text,
  every text,
  timezone text not null,
  overlap_policy text not null
    check (overlap_policy in ('skip', 'queue', 'allow', 'cancel_previous')),
  catchup_window_secs integer not null check (catchup_window_secs >= 0),
  paused boolean not null,
  next_fire_at timestamptz,
  -- The fire that waits for the end of the execution before it.
  waiting_fire_at timestamptz,
  -- The fire whose execution is being started.
  starting_fire_at timestamptz,
  late_fires integer not null default 0 check (late_fires >= 0),
  -- When somebody must look at the row.
  due_at timestamptz,
  last_fire_at timestamptz,
  last_execution_id uuid,
  last_error text,
  started bigint not null default 0,
  skipped bigint not null default 0,
  missed bigint not null default 0,
  failed bigint not null default 0,
  -- Changes by its author; and all changes, which is what a change is decided on.
  revision integer not null default 1 check (revision > 0),
  turn bigint not null default 0 check (turn >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((cron_expression is null) <> (every is null)),
  check (not paused or next_fire_at is null),
  unique (tenant_id, name)
) with (fillfactor = 70);

create index schedules_by_age on schedules (tenant_id, created_at desc, schedule_id desc);
create index schedules_by_due on schedules (due_at) where due_at is not null;

-- As for every table of tenants, see migration 0005.
do $$
declare
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  execute 'alter table schedules enable row level security';
  execute format(
    'create policy one_tenant on schedules using (%s) with check (%s)', rule, rule
  );
end
$$;
