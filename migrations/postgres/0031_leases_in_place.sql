-- works from: 14
-- A lease moves from one item of an execution to the next in place. No index holds a column that the move changes,
-- so the row stays on its page, no index is written, and the log gets the difference alone.
--
-- `leases` inherits `work_leases`, so the statements of older processes find its rows there. They insert into
-- `work_leases` itself, from where leases disappear as they end.
create table leases (
  execution_id uuid not null,
  -- Never later than `expires_at`: a look at the lease before this time is needless. It stays when the lease is
  -- renewed or moves. A look that finds a live lease sets it to `expires_at`.
  look_at timestamptz not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  visit integer not null,
  attempt integer not null,
  priority integer not null,
  tenant_id text not null,
  queue text not null,
  worker_id text not null,
  -- A move changes the columns from here on. They are together, because the log of an update begins with the first
  -- byte that it changes and ends with the last one.
  lease_fence bigint not null,
  claimed_at timestamptz not null,
  expires_at timestamptz not null,
  deadline_at timestamptz,
  queue_seq bigint,
  queued_at timestamptz,
  work_item_id uuid not null,
  claim_id uuid,
  node_id text not null,
  idempotency_key text not null,
  constraint work_leases_visit_check check (visit >= 0),
  constraint work_leases_attempt_check check (attempt >= 0),
  constraint work_leases_queue_check
    check (queue in ('python_tool', 'java_tool', 'function', 'engine')),
  constraint work_leases_priority_check check (priority >= 0),
  constraint work_leases_node_timeout_ms_check check (node_timeout_ms >= 0),
  constraint work_leases_schedule_to_start_ms_check check (schedule_to_start_ms >= 0),
  constraint work_leases_lease_fence_check check (lease_fence between 1 and 9007199254740991),
  constraint work_leases_check check (deadline_at is null or expires_at <= deadline_at)
) with (
  -- Half of each page is for the versions that moves leave until the next one prunes them.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

create index leases_by_execution on leases (execution_id);
create index leases_by_look on leases (look_at);

alter table leases enable row level security;

do $migration$
declare
  rule text;
  granted record;
begin
  select p.qual
  into rule
  from pg_policies p
  where p.schemaname = current_schema()
    and p.tablename = 'work_leases'
    and p.policyname = 'one_tenant';
  execute format('create policy one_tenant on leases using (%s) with check (%s)', rule, rule);
  for granted in
    select a.privilege_type as privilege, a.grantee
    from pg_class c
    cross join lateral aclexplode(c.relacl) a
    where c.oid = to_regclass('work_leases')
      and a.grantee <> 0
      and a.grantee <> c.relowner
  loop
    execute format(
      'grant %s on leases to %I', granted.privilege, pg_get_userbyid(granted.grantee)
    );
  end loop;
end
$migration$;

alter table leases inherit work_leases;
