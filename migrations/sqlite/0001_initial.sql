-- The data plane, the definitions it runs and the rows that guard access to it: the tables and
-- columns of the PostgreSQL migration of the same number. Times are milliseconds since the epoch,
-- ids are text in the form the API shows, JSON is text that SQL never looks into.
--
-- An execution is one narrow row that every step updates in place; what happened is in `events`.
-- Work moves between three tables and is in at most one of them: `retry_timers` (waits for its
-- time), `work_queue` (ready now), `work_leases` (handed out). The columns they share are the
-- ticket. `seq` is the rowid: always above all rows that are there, which is all that order needs.

-- The last fence drawn. PostgreSQL has a sequence for it.
create table lease_fence (
  id integer primary key check (id = 1),
  last integer not null check (last between 0 and 9007199254740991)
) strict;

insert into lease_fence (id, last) values (1, 0);

create table tenants (
  id text not null primary key
    check (length(id) <= 63 and id glob '[a-z0-9]*' and id not glob '*[^a-z0-9_-]*'),
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'archived')),
  policy text not null default '{}',
  limits text not null default '{}',
  created_at integer not null default (cast(round(unixepoch('now', 'subsec') * 1000) as integer)),
  updated_at integer not null default (cast(round(unixepoch('now', 'subsec') * 1000) as integer))
) strict;

insert into tenants (id, name) values ('default', 'default');

create table tokens (
  token_id text not null primary key,
  tenant_id text not null,
  name text not null,
  role text not null check (role in ('operator', 'developer', 'reviewer', 'viewer')),
  -- Lowercase hex SHA-256 of the plaintext, which is kept nowhere.
  hash text not null unique check (length(hash) = 64 and hash not glob '*[^0-9a-f]*'),
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict;

create index tokens_by_tenant on tokens (tenant_id, created_at desc, token_id desc);

create table definitions (
  -- Order of registration: "latest" is decided by this, never by a clock.
  seq integer primary key,
  definition_id text not null unique,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null check (revision >= 1),
  ir_hash text not null,
  ir text not null,
  actor_id text not null,
  created_at integer not null,
  unique (tenant_id, workflow_id, version, revision)
) strict;

create index definitions_by_workflow on definitions (tenant_id, workflow_id, seq desc);

-- Keyed by the id itself: a step finds and rewrites its row in one tree.
create table executions (
  id text not null primary key,
  tenant_id text not null,
  definition_id text not null,
  workflow_id text not null,
  workflow_version text not null,
  shard integer not null check (shard >= 0),
  priority integer not null check (priority >= 0),
  parent_execution_id text,
  status text not null
    check (status in ('running', 'paused', 'completed', 'failed', 'cancelled')),
  last_sequence integer not null check (last_sequence >= 0),
  error text,
  created_at integer not null,
  updated_at integer not null,
  completed_at integer,
  check ((completed_at is not null) = (status in ('completed', 'failed', 'cancelled')))
) strict, without rowid;

create index executions_by_age on executions (tenant_id, created_at desc, id desc);
create index executions_by_status on executions (tenant_id, status, created_at desc, id desc);
create index executions_by_workflow on executions (tenant_id, workflow_id, created_at desc, id desc);

-- With a rowid: events are appended to the end of one tree, and only the narrow key is sorted in.
create table events (
  execution_id text not null,
  sequence integer not null check (sequence >= 1),
  kind text not null,
  node_id text,
  payload text not null,
  actor_id text not null,
  created_at integer not null,
  primary key (execution_id, sequence)
) strict;

create table snapshots (
  execution_id text not null primary key,
  sequence integer not null check (sequence >= 1),
  body text not null
) strict;

-- Executions with something to decide. No index by shard: this process works them all.
create table runnable (
  seq integer primary key,
  execution_id text not null unique,
  shard integer not null
) strict;

-- What a worker is told about an item; written once, read at every claim.
create table work_items (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool')),
  idempotency_key text not null,
  tool text not null,
  payload text not null,
  retry_policy text not null,
  heartbeat_interval_ms integer not null check (heartbeat_interval_ms > 0),
  -- With `priority` of the execution: what a ticket needs when a dead letter is put back.
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  created_at integer not null
) strict;

create table work_queue (
  seq integer primary key,
  work_item_id text not null unique,
  -- '<tenant>/<queue>', and 'engine' for the engine's own queue.
  queue_key text not null,
  shard integer not null,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  -- Null: may wait for ever.
  start_before integer,
  enqueued_at integer not null
) strict;

create index work_queue_next on work_queue (queue_key, priority, seq);
create index work_queue_overdue on work_queue (start_before) where start_before is not null;
create index work_queue_by_execution on work_queue (execution_id);

create table work_leases (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  worker_id text not null,
  lease_fence integer not null check (lease_fence between 1 and 9007199254740991),
  claimed_at integer not null,
  -- Never past `deadline_at`, so one index finds every lease whose time is over.
  expires_at integer not null,
  deadline_at integer,
  check (deadline_at is null or expires_at <= deadline_at)
) strict, without rowid;

create index work_leases_by_expiry on work_leases (expires_at);
create index work_leases_by_execution on work_leases (execution_id);

create table retry_timers (
  work_item_id text not null primary key,
  shard integer not null,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  due_at integer not null
) strict, without rowid;

create index retry_timers_by_due on retry_timers (due_at);
create index retry_timers_by_execution on retry_timers (execution_id);

create table timers (
  execution_id text not null,
  name text not null,
  tenant_id text not null,
  due_at integer not null,
  purpose text not null check (purpose in ('wait', 'approval_timeout', 'workflow_timeout')),
  node_id text,
  visit integer check (visit >= 0),
  primary key (execution_id, name)
) strict, without rowid;

create index timers_by_due on timers (due_at);

-- A result kept under its key: in an event of the execution, or, when no event was written for it,
-- here.
create table recorded_outputs (
  execution_id text not null,
  idempotency_key text not null,
  work_item_id text not null,
  event_sequence integer check (event_sequence >= 1),
  output text,
  state_patch text,
  created_at integer not null,
  primary key (execution_id, idempotency_key),
  check ((event_sequence is null) = (output is not null and state_patch is not null))
) strict;

create table dead_letters (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  queue text not null,
  tool text not null,
  attempt integer not null check (attempt >= 0),
  error text not null,
  dead_lettered_at integer not null
) strict;

create index dead_letters_by_age on dead_letters (tenant_id, dead_lettered_at desc, work_item_id desc);

-- Idempotency-Key headers of started executions; a key counts for 24 hours.
create table request_keys (
  tenant_id text not null,
  key text not null,
  body_hash text not null,
  execution_id text not null,
  created_at integer not null,
  primary key (tenant_id, key)
) strict, without rowid;

create index request_keys_by_age on request_keys (created_at);

-- Last sign of life of runtime processes (`tenant_id` null) and of tool workers.
create table workers (
  worker_id text not null,
  tenant_id text,
  kind text not null check (kind in ('runtime', 'tool')),
  role text,
  queue_types text not null,
  version text not null,
  host text not null,
  started_at integer not null,
  last_heartbeat integer not null,
  check ((kind = 'runtime') = (tenant_id is null))
) strict;

-- A unique constraint of SQLite takes two nulls as different.
create unique index workers_by_id on workers (coalesce(tenant_id, ''), worker_id);
