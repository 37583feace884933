-- after: 7845168ee6fcfd39e76a59643128ab5a0614b4be46acea2946c9678c651832fa
-- Generated, see test/shared/store/schema/new-file.test.ts

CREATE TABLE lease_fence (
  id integer primary key check (id = 1),
  last integer not null check (last between 0 and 9007199254740991)
) strict;

CREATE TABLE tenants (
  id text not null primary key
    check (length(id) <= 63 and id glob '[a-z0-9]*' and id not glob '*[^a-z0-9_-]*'),
  name text not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'archived')),
  policy text not null default '{}',
  limits text not null default '{}',
  created_at integer not null default (cast(round(unixepoch('now', 'subsec') * 1000) as integer)),
  updated_at integer not null default (cast(round(unixepoch('now', 'subsec') * 1000) as integer))
) strict;

CREATE TABLE definitions (
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
  created_at integer not null, places_max integer check (places_max >= 1), interval_us integer check (interval_us >= 1), burst integer check (burst >= 1),
  unique (tenant_id, workflow_id, version, revision)
) strict;

CREATE INDEX definitions_by_workflow on definitions (tenant_id, workflow_id, seq desc);

CREATE TABLE executions (
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
  completed_at integer, error_class text, error_node_id text, cause_key integer,
  check ((completed_at is not null) = (status in ('completed', 'failed', 'cancelled')))
) strict, without rowid;

CREATE INDEX executions_by_age on executions (tenant_id, created_at desc, id desc);

CREATE INDEX executions_by_status on executions (tenant_id, status, created_at desc, id desc);

CREATE INDEX executions_by_workflow on executions (tenant_id, workflow_id, created_at desc, id desc);

CREATE TABLE events (
  execution_id text not null,
  sequence integer not null check (sequence >= 1),
  kind text not null,
  node_id text,
  payload text not null,
  actor_id text not null,
  created_at integer not null,
  primary key (execution_id, sequence)
) strict;

CREATE TABLE snapshots (
  execution_id text not null primary key,
  sequence integer not null check (sequence >= 1),
  body text not null
) strict;

CREATE TABLE runnable (
  seq integer primary key,
  execution_id text not null unique,
  shard integer not null
, bucket_key text, admitted_at integer) strict;

CREATE TABLE recorded_outputs (
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

CREATE TABLE dead_letters (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  queue text not null,
  tool text not null,
  attempt integer not null check (attempt >= 0),
  error text not null,
  dead_lettered_at integer not null
, workflow_id text, error_class text, cause_key integer) strict;

CREATE INDEX dead_letters_by_age on dead_letters (tenant_id, dead_lettered_at desc, work_item_id desc);

CREATE TABLE request_keys (
  tenant_id text not null,
  key text not null,
  body_hash text not null,
  execution_id text not null,
  created_at integer not null,
  primary key (tenant_id, key)
) strict, without rowid;

CREATE INDEX request_keys_by_age on request_keys (created_at);

CREATE TABLE workers (
  worker_id text not null,
  tenant_id text,
  kind text not null check (kind in ('runtime', 'tool')),
  role text,
  queue_types text not null,
  version text not null,
  host text not null,
  started_at integer not null,
  last_heartbeat integer not null, tools text, queue_names text,
  check ((kind = 'runtime') = (tenant_id is null))
) strict;

CREATE UNIQUE INDEX workers_by_id on workers (coalesce(tenant_id, ''), worker_id);

CREATE TABLE agents (
  tenant_id text not null,
  agent_id text not null,
  card text not null,
  uri text,
  skills text not null,
  protocols text not null,
  status text not null check (status in ('registered', 'active', 'paused', 'deactivated')),
  discovered_from text,
  registered_at integer not null,
  updated_at integer not null,
  last_heartbeat integer,
  -- Where silence is counted from: the last heartbeat, or the activation after it. Null as long as
  -- there was no heartbeat.
  heard_at integer,
  primary key (tenant_id, agent_id),
  check ((last_heartbeat is null) = (heard_at is null))
) strict;

CREATE INDEX agents_by_age on agents (tenant_id, registered_at desc, agent_id desc);

CREATE INDEX agents_by_source on agents (tenant_id, discovered_from)
  where discovered_from is not null;

CREATE INDEX agents_by_silence on agents (heard_at)
  where status = 'active' and heard_at is not null;

CREATE TABLE memory_settings (
  tenant_id text not null primary key,
  provider text,
  enabled integer not null check (enabled in (0, 1)),
  -- Which key sealed `sealed_key`.
  key_id text,
  sealed_key text,
  updated_at integer not null,
  check ((key_id is null) = (sealed_key is null))
) strict;

CREATE TABLE memory_usage (
  tenant_id text not null primary key,
  -- Facts ever added, and those that are not forgotten.
  added integer not null default 0 check (added >= 0),
  live integer not null default 0 check (live between 0 and added),
  change_seq integer not null default 0,
  -- Places kept for facts that are being embedded: id to the Unix milliseconds when each lapses.
  reservations text not null default '{}',
  last_added_at integer
) strict;

CREATE TABLE memory_facts (
  fact_id text not null primary key,
  tenant_id text not null,
  -- From 1 for each tenant, in the order of adding; never used again.
  ordinal integer not null,
  change_seq integer not null,
  agent_id text,
  end_user_id text,
  content text not null,
  metadata text not null,
  ingestion_key text,
  created_at integer not null,
  forgotten_at integer,
  forgotten_by text,
  forget_reason text,
  -- 1536 float32 of a unit vector, and its sketch: 8-bit codes, scale and length of the error.
  sketch blob not null check (length(sketch) = 1544),
  embedding blob not null check (length(embedding) = 6144),
  unique (tenant_id, ordinal)
) strict;

CREATE INDEX memory_facts_by_scope
  on memory_facts (tenant_id, coalesce(agent_id, ''), coalesce(end_user_id, ''), change_seq);

CREATE INDEX memory_facts_by_creation on memory_facts (tenant_id, created_at desc)
  where forgotten_at is null;

CREATE INDEX memory_facts_by_user on memory_facts (tenant_id, end_user_id)
  where forgotten_at is null;

CREATE UNIQUE INDEX memory_facts_by_ingestion_key on memory_facts (tenant_id, ingestion_key)
  where forgotten_at is null and ingestion_key is not null;

CREATE TABLE audit_log (
  audit_id text not null primary key,
  tenant_id text not null,
  execution_id text,
  event_type text not null check (event_type glob '[a-z]*' and event_type not glob '*[^a-z_]*'),
  actor_id text not null,
  payload text not null,
  created_at integer not null
) strict;

CREATE INDEX audit_log_by_age on audit_log (tenant_id, created_at desc, audit_id desc);

CREATE INDEX audit_log_by_time on audit_log (created_at);

CREATE INDEX audit_log_by_execution on audit_log (execution_id) where execution_id is not null;

CREATE INDEX events_by_time on events (created_at);

CREATE TABLE audit_windows (
  window_number integer primary key check (window_number >= 1),
  covers_from integer not null,
  covers_to integer not null,
  previous_hash text not null check (length(previous_hash) = 64),
  hash text not null check (length(hash) = 64),
  sealed_at integer not null,
  check (covers_from < covers_to)
) strict;

CREATE TABLE audit_seals (
  tenant_id text not null,
  seal_number integer not null check (seal_number >= 1),
  window_number integer not null,
  covers_from integer not null,
  covers_to integer not null,
  item_count integer not null check (item_count >= 1),
  members text not null,
  previous_hash text not null check (length(previous_hash) = 64),
  hash text not null check (length(hash) = 64),
  primary key (tenant_id, seal_number)
) strict;

CREATE INDEX audit_seals_by_window on audit_seals (window_number);

CREATE TRIGGER events_refuse_update before update on events begin
  select raise(abort, 'UPDATE of events is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_log_refuse_update before update on audit_log begin
  select raise(abort, 'UPDATE of audit_log is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_log_refuse_delete before delete on audit_log begin
  select raise(abort, 'DELETE of audit_log is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_windows_refuse_update before update on audit_windows begin
  select raise(abort, 'UPDATE of audit_windows is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_windows_refuse_delete before delete on audit_windows begin
  select raise(abort, 'DELETE of audit_windows is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_seals_refuse_update before update on audit_seals begin
  select raise(abort, 'UPDATE of audit_seals is refused: what happened is only ever added to');
end;

CREATE TRIGGER audit_seals_refuse_delete before delete on audit_seals begin
  select raise(abort, 'DELETE of audit_seals is refused: what happened is only ever added to');
end;

CREATE INDEX tenants_inactive on tenants (id) where status <> 'active';

CREATE TABLE webhooks (
  webhook_id text not null primary key,
  tenant_id text not null,
  url text not null,
  -- JSON; null: all there are.
  event_types text,
  -- Sealed: it signs the messages, so a hash would not do.
  secret text not null,
  status text not null check (status in ('active', 'disabled')),
  created_at integer not null
) strict;

CREATE INDEX webhooks_by_tenant on webhooks (tenant_id, created_at desc, webhook_id desc);

CREATE TABLE webhook_deliveries (
  -- Order of the commits; always above all rows that are there.
  seq integer primary key,
  delivery_id text not null unique,
  webhook_id text not null,
  tenant_id text not null,
  execution_id text not null,
  event_type text not null,
  data text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null check (attempts >= 0),
  -- While an attempt is under way: when it counts as lost.
  next_attempt_at integer,
  last_status integer,
  last_error text,
  created_at integer not null,
  ended_at integer,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (ended_at is null))
) strict;

CREATE INDEX webhook_deliveries_by_age on webhook_deliveries (webhook_id, seq desc);

CREATE INDEX webhook_deliveries_by_due on webhook_deliveries (next_attempt_at)
  where status = 'pending';

CREATE INDEX webhook_deliveries_by_execution on webhook_deliveries (execution_id, webhook_id, seq)
  where status = 'pending';

CREATE INDEX webhook_deliveries_by_end on webhook_deliveries (ended_at)
  where status <> 'pending';

CREATE INDEX executions_by_parent on executions (parent_execution_id, id)
  where parent_execution_id is not null;

CREATE TABLE schedules (
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

CREATE INDEX schedules_by_age on schedules (tenant_id, created_at desc, schedule_id desc);

CREATE INDEX schedules_by_due on schedules (due_at) where due_at is not null;

CREATE TABLE execution_usage (
  execution_id text not null primary key,
  tenant_id text not null,
  input_tokens integer not null check (input_tokens >= 0),
  output_tokens integer not null check (output_tokens >= 0),
  -- US dollars, of the calls whose price is known.
  cost_usd real not null check (cost_usd >= 0)
) strict, without rowid;

CREATE TABLE artifacts (
  tenant_id text not null,
  -- 64 lowercase hex digits.
  hash text not null,
  -- Under which its chunks are.
  upload_id text not null unique,
  size integer not null check (size >= 0),
  content_type text not null,
  created_at integer not null, unused_since integer, is_read integer not null default 0 check (is_read in (0, 1)),
  primary key (tenant_id, hash)
) strict;

CREATE TABLE artifact_uploads (
  upload_id text not null primary key,
  tenant_id text not null,
  touched_at integer not null
) strict;

CREATE INDEX artifact_uploads_by_age on artifact_uploads (touched_at);

CREATE TABLE artifact_chunks (
  upload_id text not null,
  -- From 0.
  position integer not null check (position >= 0),
  tenant_id text not null,
  content blob not null,
  primary key (upload_id, position)
) strict;

CREATE TRIGGER recorded_outputs_refuse_update before update on recorded_outputs begin
  select raise(abort, 'UPDATE of recorded_outputs is refused: a result on record stays as it is');
end;

CREATE TRIGGER definitions_refuse_update before update on definitions begin
  select raise(abort, 'UPDATE of definitions is refused: a change is another revision');
end;

CREATE TABLE retention_policies (
  tenant_id text not null,
  workflow_id text not null,
  completed_days integer check (completed_days between 0 and 36500),
  failed_days integer check (failed_days between 0 and 36500),
  cancelled_days integer check (cancelled_days between 0 and 36500),
  updated_at integer not null,
  primary key (tenant_id, workflow_id),
  check (coalesce(completed_days, failed_days, cancelled_days) is not null)
) strict;

CREATE INDEX artifacts_by_disuse on artifacts (unused_since) where unused_since is not null;

CREATE INDEX artifacts_to_read on artifacts (created_at) where is_read = 0;

CREATE TABLE artifact_references (
  tenant_id text not null,
  hash text not null,
  -- An execution, or the `upload_id` of an artifact.
  holder_id text not null,
  primary key (tenant_id, hash, holder_id)
) strict;

CREATE INDEX artifact_references_by_holder on artifact_references (holder_id);

CREATE TABLE artifact_survey (
  is_only integer primary key default 1 check (is_only = 1),
  window_number integer not null check (window_number >= 0)
) strict;

CREATE TABLE workflow_pauses (
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

CREATE TABLE workflow_holds (
  execution_id text not null primary key,
  tenant_id text not null,
  workflow_id text not null
) strict;

CREATE INDEX workflow_holds_by_workflow on workflow_holds (tenant_id, workflow_id, execution_id);

CREATE TABLE imported_executions (
  import_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  imported_by text not null,
  imported_at integer not null,
  document_sha256 text not null check (length(document_sha256) = 64),
  retirement_id text,
  event_hashes blob not null check (length(event_hashes) % 32 = 0)
) strict;

CREATE INDEX imported_executions_by_execution on imported_executions (execution_id);

CREATE TABLE imported_definitions (
  definition_id text not null primary key,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null check (revision >= 1),
  ir_hash text not null,
  ir text not null,
  actor_id text not null,
  created_at integer not null
) strict;

CREATE TRIGGER imported_definitions_refuse_update before update on imported_definitions begin
  select raise(abort, 'UPDATE of imported_definitions is refused: a change is another revision');
end;

CREATE TRIGGER imported_executions_refuse_update before update on imported_executions begin
  select raise(abort, 'UPDATE of imported_executions is refused: what happened is only ever added to');
end;

CREATE TRIGGER imported_executions_refuse_delete before delete on imported_executions begin
  select raise(abort, 'DELETE of imported_executions is refused: what happened is only ever added to');
end;

CREATE TABLE "retired_executions" (
  execution_id text not null,
  tenant_id text not null,
  retirement_id text not null,
  event_hashes blob not null check (length(event_hashes) % 32 = 0),
  primary key (execution_id, retirement_id)
) strict;

CREATE INDEX retired_executions_by_retirement on retired_executions (retirement_id);

CREATE TRIGGER retired_executions_refuse_update before update on retired_executions begin
  select raise(abort, 'UPDATE of retired_executions is refused: what happened is only ever added to');
end;

CREATE TRIGGER retired_executions_refuse_delete before delete on retired_executions begin
  select raise(abort, 'DELETE of retired_executions is refused: what happened is only ever added to');
end;

CREATE TRIGGER events_refuse_delete before delete on events
when not exists (
    select 1
    from retired_executions as r
    where r.execution_id = old.execution_id
  )
  or exists (
    select 1
    from executions as e
    where e.id = old.execution_id
  )
begin
  select raise(abort, 'DELETE of events is refused: what happened is only ever added to');
end;

CREATE TABLE execution_trees (
  root_execution_id text not null primary key,
  tenant_id text not null,
  -- All that were ever started, children of children included.
  descendants integer not null check (descendants >= 0)
) strict, without rowid;

CREATE TABLE "tokens" (
  token_id text not null primary key,
  tenant_id text not null,
  name text not null,
  role text not null check (role in ('operator', 'developer', 'reviewer', 'viewer', 'worker')),
  -- Lowercase hex SHA-256 of the plaintext, which is kept nowhere.
  hash text not null unique check (length(hash) = 64 and hash not glob '*[^0-9a-f]*'),
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  replaced_by text
) strict;

CREATE INDEX tokens_by_tenant on tokens (tenant_id, created_at desc, token_id desc);

CREATE TABLE "work_items" (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'function')),
  idempotency_key text not null,
  tool text not null,
  payload text not null,
  retry_policy text not null,
  heartbeat_interval_ms integer not null check (heartbeat_interval_ms > 0),
  -- With `priority` of the execution: what a ticket needs when a dead letter is put back.
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  created_at integer not null,
  queue_name text
) strict;

CREATE TRIGGER work_items_refuse_update before update on work_items begin
  select raise(abort, 'UPDATE of work_items is refused: an item stays as it was made');
end;

CREATE TABLE "work_queue" (
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
  queue text not null check (queue in ('python_tool', 'java_tool', 'function', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  -- Null: may wait for ever.
  start_before integer,
  enqueued_at integer not null,
  queue_name text,
  tool text
) strict;

CREATE INDEX work_queue_by_execution on work_queue (execution_id);

CREATE INDEX work_queue_by_tool on work_queue (queue_key, tool, priority, seq) where queue <> 'engine';

CREATE INDEX work_queue_named on work_queue (tenant_id) where queue_name is not null;

CREATE INDEX work_queue_next on work_queue (queue_key, priority, seq);

CREATE INDEX work_queue_overdue on work_queue (start_before) where start_before is not null;

CREATE TABLE "work_leases" (
  work_item_id text not null primary key,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'function', 'engine')),
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
  queue_seq integer,
  queued_at integer, claim_id text,
  check (deadline_at is null or expires_at <= deadline_at)
) strict, without rowid;

CREATE INDEX work_leases_by_execution on work_leases (execution_id);

CREATE INDEX work_leases_by_expiry on work_leases (expires_at);

CREATE TABLE "retry_timers" (
  work_item_id text not null primary key,
  shard integer not null,
  execution_id text not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  attempt integer not null check (attempt >= 0),
  queue text not null check (queue in ('python_tool', 'java_tool', 'function', 'engine')),
  priority integer not null check (priority >= 0),
  idempotency_key text not null,
  node_timeout_ms integer check (node_timeout_ms >= 0),
  schedule_to_start_ms integer check (schedule_to_start_ms >= 0),
  due_at integer not null,
  held_due_at integer,
  queue_seq integer,
  queued_at integer,
  released_fence integer
, queue_name text) strict, without rowid;

CREATE INDEX retry_timers_by_due on retry_timers (due_at);

CREATE INDEX retry_timers_by_execution on retry_timers (execution_id);

CREATE TABLE approvals (
  execution_id text not null,
  -- The ApprovalRequested.
  sequence integer not null check (sequence > 0),
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  -- The wait of a durable function; null: the node itself waits.
  step text,
  requested_at integer not null,
  -- The ApprovalReceived; null: nobody has decided. The row disappears if the wait ends otherwise.
  decided_sequence integer,
  decided_at integer,
  primary key (execution_id, sequence),
  check ((decided_sequence is null) = (decided_at is null))
) strict;

CREATE INDEX approvals_open on approvals (tenant_id, requested_at, execution_id, sequence)
  where decided_at is null;

CREATE INDEX approvals_decided on approvals (
  tenant_id, decided_at desc, execution_id desc, sequence desc
) where decided_at is not null;

CREATE INDEX approvals_by_decision on approvals (decided_at) where decided_at is not null;

CREATE TABLE execution_labels (
  execution_id text not null,
  name text not null,
  value text not null,
  tenant_id text not null,
  -- That of the execution.
  created_at integer not null,
  primary key (execution_id, name)
) strict, without rowid;

CREATE INDEX execution_labels_by_value on execution_labels (
  tenant_id, name, value, created_at desc, execution_id desc
);

CREATE TABLE checkpoints (
  execution_id text not null,
  sequence integer not null check (sequence > 0),
  tenant_id text not null,
  body text not null,
  primary key (execution_id, sequence)
) strict;

CREATE TRIGGER remove_checkpoints
after delete on executions
begin
  delete from checkpoints
  where execution_id = old.id;
end;

CREATE TABLE flow_places (
  tenant_id text not null,
  place_key text not null,
  place integer not null check (place >= 1),
  execution_id text not null unique, taken_at integer not null default 0, is_leaving integer not null default 0,
  primary key (tenant_id, place_key, place)
) strict, without rowid;

CREATE TABLE quota_places (
  work_item_id text primary key,
  execution_id text not null,
  tenant_id text not null,
  quota_key text not null
) strict, without rowid;

CREATE INDEX quota_places_by_quota on quota_places (quota_key);

CREATE INDEX work_queue_below_quotas on work_queue (queue_key)
  where queue_name is not null and instr(queue_key, '#') > 0;

CREATE TABLE quota_buckets (
  bucket_key text primary key,
  tenant_id text not null,
  -- When the bucket is full if nothing more is taken from it. In microseconds since the epoch.
  full_at_us integer not null
) strict, without rowid;

CREATE TABLE "timers" (
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

CREATE INDEX timers_by_due on timers (due_at);

CREATE TABLE "flow_waits" (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  place_key text not null,
  -- The limit that the execution was started with; null: none.
  places_max integer check (places_max >= 1),
  shard integer not null,
  since integer not null,
  places_key text,
  bucket_key text,
  -- From one token to the next, in microseconds, and the most tokens at once.
  interval_us integer check (interval_us >= 1),
  burst integer check (burst >= 1)
, cancels_oldest integer not null default 0, due_at integer, first_at integer, next_line text, batch_bytes integer, in_line integer not null default 0, keeps_limit integer not null default 0, keeps_rate integer not null default 0) strict;

CREATE INDEX flow_waits_by_key on flow_waits (tenant_id, place_key, seq);

CREATE INDEX flow_waits_cancelling on flow_waits (tenant_id, place_key, seq) where cancels_oldest = 1;

CREATE TABLE "child_places" (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  -- Null: it was started from outside.
  parent_execution_id text,
  shard integer not null,
  -- 'waiting': it has not begun · 'lent': it has begun in the place of its parent · 'later': it waits for its
  -- time or for its key first, and takes no place of the tenant meanwhile
  state text not null check (state in ('waiting', 'lent', 'later')),
  since integer not null
) strict;

CREATE INDEX child_places_waiting on child_places (tenant_id, seq) where state = 'waiting';

CREATE INDEX child_places_lent on child_places (parent_execution_id) where state = 'lent';

CREATE TRIGGER join_tenant_line after delete on flow_waits
begin
  update child_places
  set state = 'waiting',
    seq = (select max(seq) + 1 from child_places)
  where execution_id = old.execution_id
    and state = 'later';
end;

CREATE INDEX flow_waits_by_due on flow_waits (due_at) where due_at is not null;

CREATE TRIGGER name_workflow_of_dead_letter after insert on dead_letters begin
  update dead_letters
  set workflow_id = (select e.workflow_id from executions e where e.id = new.execution_id)
  where work_item_id = new.work_item_id;
end;

CREATE INDEX dead_letters_by_workflow on dead_letters (
  tenant_id, workflow_id, dead_lettered_at desc, work_item_id desc
);

CREATE INDEX work_queue_shares on work_queue (
  queue_key,
  substr(
    substr(queue_name, instr(queue_name, '~') + 1),
    1,
    instr(substr(queue_name, instr(queue_name, '~') + 1), '~') - 1
  ),
  priority,
  seq
)
  where instr(queue_key, '~') > 0;

CREATE INDEX flow_waits_not_in_line on flow_waits (tenant_id, seq) where in_line = 0;

CREATE INDEX child_places_borrowing on child_places (tenant_id, parent_execution_id, seq)
  where state = 'waiting' and parent_execution_id is not null;

CREATE INDEX child_places_lent_of_tenant on child_places (tenant_id) where state = 'lent';

CREATE TRIGGER definitions_rescale_start_buckets after insert on definitions
when new.interval_us is not null begin
  update quota_buckets
  set full_at_us = new.created_at * 1000 + new.interval_us * (
    -- Without the last rate, the bucket has no fewer than 0 tokens.
    new.burst - max(0, min(new.burst, coalesce(
      last.burst - (full_at_us - new.created_at * 1000 + last.interval_us - 1) / last.interval_us,
      new.burst - (full_at_us - new.created_at * 1000 + new.interval_us - 1) / new.interval_us
    )))
  )
  from (
    select max(d.interval_us) as interval_us, max(d.burst) as burst
    from (
      select interval_us, burst
      from definitions
      where tenant_id = new.tenant_id and workflow_id = new.workflow_id and seq < new.seq
      order by seq desc
      limit 1
    ) d
  ) last
  where tenant_id = new.tenant_id
    and substr(
      bucket_key,
      1,
      length(new.tenant_id || '/start#[' || json_quote(new.workflow_id) || ',')
    ) = new.tenant_id || '/start#[' || json_quote(new.workflow_id) || ','
    -- Those of rates that starts brought have a name of their own.
    and substr(bucket_key, -16) <> ',"start","rate"]'
    and full_at_us > new.created_at * 1000
    and (last.interval_us, last.burst) is not (new.interval_us, new.burst);
end;

CREATE INDEX runnable_with_tokens on runnable (bucket_key) where bucket_key is not null;

CREATE INDEX work_queue_of_engine on work_queue (tenant_id, priority, seq)
  where queue_key = 'engine';

insert into lease_fence (id, last) values (1, 0);

insert into tenants (id, name, status, policy, limits) values ('default', 'default', 'active', '{}', '{}');

insert into artifact_survey (is_only, window_number) values (1, 0);
