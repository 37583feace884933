-- The data plane, the definitions it runs and the rows that guard access to it.
--
-- An execution is one narrow row that every step updates in place; what happened is in `events`.
-- Work moves between three tables and is in at most one of them: `retry_timers` (waits for its
-- time), `work_queue` (ready now), `work_leases` (handed out). The columns they share are the
-- ticket. Hot tables carry no foreign keys: each would lock a row of another table at every step.

-- Fences are exact in every client's JSON numbers, hence the bound.
create sequence lease_fence_seq as bigint minvalue 1 maxvalue 9007199254740991 no cycle;

-- For a statement that finds its own reading overtaken: the server rolls it back and the client
-- sends it again.
create function fail_as_serialization() returns boolean
language plpgsql
as $$
begin
  raise exception 'the rows read have moved meanwhile' using errcode = 'serialization_failure';
end
$$;

create table tenants (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'archived')),
  policy json not null default '{}',
  limits json not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);

insert into tenants (id, name) values ('default', 'default');

create table tokens (
  token_id text primary key,
  tenant_id text not null,
  name text not null,
  role text not null check (role in ('operator', 'developer', 'reviewer', 'viewer')),
  -- Lowercase hex SHA-256 of the plaintext, which is kept nowhere.
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);

create index tokens_by_tenant on tokens (tenant_id, created_at desc, token_id desc);

create table definitions (
  definition_id uuid primary key,
  -- Order of registration: "latest" is decided by this, never by a clock.
  seq bigint generated always as identity unique,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null check (revision >= 1),
  ir_hash text not null,
  ir json not null,
  actor_id text not null,
  created_at timestamptz not null,
  unique (tenant_id, workflow_id, version, revision)
);

create index definitions_by_workflow on definitions (tenant_id, workflow_id, seq desc);

-- `status` stands in an index although it changes, but only when an execution pauses, resumes or
-- ends. All other updates touch no indexed column and stay within the page (HOT).
create table executions (
  id uuid primary key,
  tenant_id text not null,
  definition_id uuid not null,
  workflow_id text not null,
  workflow_version text not null,
  shard smallint not null check (shard >= 0),
  priority integer not null check (priority >= 0),
  parent_execution_id uuid,
  status text not null
    check (status in ('running', 'paused', 'completed', 'failed', 'cancelled')),
  last_sequence integer not null check (last_sequence >= 0),
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  check ((completed_at is not null) = (status in ('completed', 'failed', 'cancelled')))
) with (fillfactor = 70);

create index executions_by_age on executions (tenant_id, created_at desc, id desc);
create index executions_by_status on executions (tenant_id, status, created_at desc, id desc);
create index executions_by_workflow on executions (tenant_id, workflow_id, created_at desc, id desc);

create table events (
  execution_id uuid not null,
  sequence integer not null check (sequence >= 1),
  kind text not null,
  node_id text,
  -- `json`, not `jsonb`: stored and handed back as the text it came as.
  payload json not null,
  actor_id text not null,
  created_at timestamptz not null,
  primary key (execution_id, sequence)
);

create table snapshots (
  execution_id uuid primary key,
  sequence integer not null check (sequence >= 1),
  body text not null
);

-- Executions with something to decide.
create table runnable (
  execution_id uuid primary key,
  shard smallint not null,
  seq bigint generated always as identity
);

create index runnable_by_shard on runnable (shard, seq);

-- What a worker is told about an item; written once, read at every claim.
create table work_items (
  work_item_id uuid primary key,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool')),
  idempotency_key text not null,
  tool text not null,
  payload json not null,
  retry_policy json not null,
  heartbeat_interval_ms integer not null check (heartbeat_interval_ms > 0),
  -- With `priority` of the execution: what a ticket needs when a dead letter is put back.
  node_timeout_ms bigint check (node_timeout_ms >= 0),
  schedule_to_start_ms bigint check (schedule_to_start_ms >= 0),
  created_at timestamptz not null
);

create table work_queue (
  work_item_id uuid primary key,
  seq bigint generated always as identity,
  -- '<tenant>/<queue>', and 'engine' for the engine's own queue.
  queue_key text not null,
  shard smallint not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms bigint check (node_timeout_ms >= 0),
  schedule_to_start_ms bigint check (schedule_to_start_ms >= 0),
  -- Null: may wait for ever.
  start_before timestamptz,
  enqueued_at timestamptz not null
);

create index work_queue_next on work_queue (queue_key, priority, seq);
create index work_queue_overdue on work_queue (start_before) where start_before is not null;
create index work_queue_by_execution on work_queue (execution_id);

create table work_leases (
  work_item_id uuid primary key,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms bigint check (node_timeout_ms >= 0),
  schedule_to_start_ms bigint check (schedule_to_start_ms >= 0),
  worker_id text not null,
  lease_fence bigint not null check (lease_fence between 1 and 9007199254740991),
  claimed_at timestamptz not null,
  -- Never past `deadline_at`, so one index finds every lease whose time is over.
  expires_at timestamptz not null,
  deadline_at timestamptz,
  check (deadline_at is null or expires_at <= deadline_at)
);

create index work_leases_by_expiry on work_leases (expires_at);
create index work_leases_by_execution on work_leases (execution_id);

create table retry_timers (
  work_item_id uuid primary key,
  shard smallint not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms bigint check (node_timeout_ms >= 0),
  schedule_to_start_ms bigint check (schedule_to_start_ms >= 0),
  due_at timestamptz not null
);

create index retry_timers_by_due on retry_timers (due_at);
create index retry_timers_by_execution on retry_timers (execution_id);

create table timers (
  execution_id uuid not null,
  name text not null,
  tenant_id text not null,
  due_at timestamptz not null,
  purpose text not null check (purpose in ('wait', 'approval_timeout', 'workflow_timeout')),
  node_id text,
  visit integer check (visit >= 0),
  primary key (execution_id, name)
);

create index timers_by_due on timers (due_at);

-- A result kept under its key: in an event of the execution, or, when no event was written for it,
-- here.
create table recorded_outputs (
  execution_id uuid not null,
  idempotency_key text not null,
  work_item_id uuid not null,
  event_sequence integer check (event_sequence >= 1),
  output json,
  state_patch json,
  created_at timestamptz not null,
  primary key (execution_id, idempotency_key),
  check ((event_sequence is null) = (output is not null and state_patch is not null))
);

create table dead_letters (
  work_item_id uuid primary key,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  queue text not null,
  tool text not null,
  attempt integer not null check (attempt >= 0),
  error text not null,
  dead_lettered_at timestamptz not null
);

create index dead_letters_by_age on dead_letters (tenant_id, dead_lettered_at desc, work_item_id desc);

-- Idempotency-Key headers of started executions; a key counts for 24 hours.
create table request_keys (
  tenant_id text not null,
  key text not null,
  body_hash text not null,
  execution_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, key)
);

create index request_keys_by_age on request_keys (created_at);

-- Last sign of life of runtime processes (`tenant_id` null) and of tool workers.
create table workers (
  worker_id text not null,
  tenant_id text,
  kind text not null check (kind in ('runtime', 'tool')),
  role text,
  queue_types json not null,
  version text not null,
  host text not null,
  started_at timestamptz not null,
  last_heartbeat timestamptz not null,
  unique nulls not distinct (tenant_id, worker_id),
  check ((kind = 'runtime') = (tenant_id is null))
);

-- Rows of these tables live for milliseconds to minutes. With the default settings vacuum comes
-- after 20 % of the largest size they ever had and pauses between pages; by then every claim walks
-- over the dead.
alter table runnable set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
alter table work_queue set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
alter table work_leases set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
alter table retry_timers set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
alter table timers set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
