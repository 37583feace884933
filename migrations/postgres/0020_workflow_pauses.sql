-- works from: 14
-- Pauses of whole workflows: nothing of one goes on until it is resumed.

create table workflow_pauses (
  tenant_id text not null,
  workflow_id text not null,
  -- Another with each pause: what was read of one is never taken for the next.
  pause_id uuid not null,
  paused_by text not null,
  reason text,
  paused_at timestamptz not null,
  -- When a look through all its executions first found none that is not held.
  swept_at timestamptz,
  -- Not null: it stands no more, and what it holds is being given back. The row goes when that is done.
  resumed_by text,
  resumed_at timestamptz,
  primary key (tenant_id, workflow_id),
  check ((resumed_by is null) = (resumed_at is null))
);

-- Executions that a pause of their workflow holds; written with the event that says so.
create table workflow_holds (
  execution_id uuid primary key,
  tenant_id text not null,
  workflow_id text not null
);

create index workflow_holds_by_workflow on workflow_holds (tenant_id, workflow_id, execution_id);

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['workflow_pauses', 'workflow_holds'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;
