create sequence public.child_places_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create sequence public.definitions_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create sequence public.fence_epoch_seq as bigint increment 1 minvalue 0 maxvalue 9223372036854775807 start 0 cache 1;

create sequence public.flow_waits_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create sequence public.lease_fence_seq as bigint increment 1 minvalue 1 maxvalue 9007199254740991 start 1 cache 1;

create sequence public.runnable_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create sequence public.webhook_deliveries_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create sequence public.work_queue_seq_seq as bigint increment 1 minvalue 1 maxvalue 9223372036854775807 start 1 cache 1;

create table public.agents (
  tenant_id text not null,
  agent_id text not null,
  card json not null,
  uri text,
  skills text[] not null,
  protocols text[] not null,
  status text not null,
  discovered_from text,
  registered_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  last_heartbeat timestamp with time zone,
  heard_at timestamp with time zone,
  constraint agents_check CHECK (((last_heartbeat IS NULL) = (heard_at IS NULL))),
  constraint agents_pkey PRIMARY KEY (tenant_id, agent_id),
  constraint agents_status_check CHECK ((status = ANY (ARRAY['registered'::text, 'active'::text, 'paused'::text, 'deactivated'::text])))
);

create table public.approvals (
  execution_id uuid not null,
  sequence integer not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null,
  step text,
  requested_at timestamp with time zone not null,
  decided_sequence integer,
  decided_at timestamp with time zone,
  constraint approvals_check CHECK (((decided_sequence IS NULL) = (decided_at IS NULL))),
  constraint approvals_pkey PRIMARY KEY (execution_id, sequence),
  constraint approvals_sequence_check CHECK ((sequence > 0)),
  constraint approvals_visit_check CHECK ((visit >= 0))
);

create table public.artifact_chunks (
  upload_id uuid not null,
  "position" integer not null,
  tenant_id text not null,
  content bytea not null,
  constraint artifact_chunks_pkey PRIMARY KEY (upload_id, "position"),
  constraint artifact_chunks_position_check CHECK (("position" >= 0))
);

create table public.artifact_references (
  tenant_id text not null,
  hash text not null,
  holder_id uuid not null,
  constraint artifact_references_pkey PRIMARY KEY (tenant_id, hash, holder_id)
);

create table public.artifact_survey (
  is_only boolean default true not null,
  window_number integer not null,
  constraint artifact_survey_is_only_check CHECK (is_only),
  constraint artifact_survey_pkey PRIMARY KEY (is_only),
  constraint artifact_survey_window_number_check CHECK ((window_number >= 0))
);

create table public.artifact_uploads (
  upload_id uuid not null,
  tenant_id text not null,
  touched_at timestamp with time zone not null,
  constraint artifact_uploads_pkey PRIMARY KEY (upload_id)
);

create table public.artifacts (
  tenant_id text not null,
  hash text not null,
  upload_id uuid not null,
  size bigint not null,
  content_type text not null,
  created_at timestamp with time zone not null,
  unused_since timestamp with time zone default clock_timestamp(),
  is_read boolean default false not null,
  constraint artifacts_pkey PRIMARY KEY (tenant_id, hash),
  constraint artifacts_size_check CHECK ((size >= 0)),
  constraint artifacts_upload_id_key UNIQUE (upload_id)
);

create table public.audit_log (
  audit_id uuid not null,
  tenant_id text not null,
  execution_id uuid,
  event_type text not null,
  actor_id text not null,
  payload json not null,
  created_at timestamp with time zone not null,
  constraint audit_log_event_type_check CHECK ((event_type ~ '^[a-z]+(_[a-z]+)*$'::text)),
  constraint audit_log_pkey PRIMARY KEY (audit_id)
);

create table public.audit_seals (
  tenant_id text not null,
  seal_number integer not null,
  window_number integer not null,
  covers_from timestamp with time zone not null,
  covers_to timestamp with time zone not null,
  item_count integer not null,
  members text not null,
  previous_hash text not null,
  hash text not null,
  constraint audit_seals_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  constraint audit_seals_item_count_check CHECK ((item_count >= 1)),
  constraint audit_seals_pkey PRIMARY KEY (tenant_id, seal_number),
  constraint audit_seals_previous_hash_check CHECK ((previous_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint audit_seals_seal_number_check CHECK ((seal_number >= 1))
);

create table public.audit_windows (
  window_number integer not null,
  covers_from timestamp with time zone not null,
  covers_to timestamp with time zone not null,
  previous_hash text not null,
  hash text not null,
  sealed_at timestamp with time zone not null,
  constraint audit_windows_check CHECK ((covers_from < covers_to)),
  constraint audit_windows_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  constraint audit_windows_pkey PRIMARY KEY (window_number),
  constraint audit_windows_previous_hash_check CHECK ((previous_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint audit_windows_window_number_check CHECK ((window_number >= 1))
);

create table public.checkpoints (
  execution_id uuid not null,
  sequence integer not null,
  tenant_id text not null,
  body text not null,
  constraint checkpoints_pkey PRIMARY KEY (execution_id, sequence),
  constraint checkpoints_sequence_check CHECK ((sequence > 0))
);

create table public.child_places (
  execution_id uuid not null,
  tenant_id text not null,
  parent_execution_id uuid,
  shard smallint not null,
  seq bigint generated always as identity not null,
  state text not null,
  since timestamp with time zone not null,
  constraint child_places_pkey PRIMARY KEY (execution_id),
  constraint child_places_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'lent'::text, 'later'::text])))
);

create table public.dead_letters (
  work_item_id uuid not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  queue text not null,
  tool text not null,
  attempt integer not null,
  error text not null,
  dead_lettered_at timestamp with time zone not null,
  workflow_id text,
  error_class text,
  cause_key bigint,
  constraint dead_letters_attempt_check CHECK ((attempt >= 0)),
  constraint dead_letters_pkey PRIMARY KEY (work_item_id)
);

create table public.definitions (
  definition_id uuid not null,
  seq bigint generated always as identity not null,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null,
  ir_hash text not null,
  ir json not null,
  actor_id text not null,
  created_at timestamp with time zone not null,
  places_max integer,
  interval_us bigint,
  burst integer,
  constraint definitions_burst_check CHECK ((burst >= 1)),
  constraint definitions_interval_us_check CHECK ((interval_us >= 1)),
  constraint definitions_pkey PRIMARY KEY (definition_id),
  constraint definitions_places_max_check CHECK ((places_max >= 1)),
  constraint definitions_revision_check CHECK ((revision >= 1)),
  constraint definitions_seq_key UNIQUE (seq),
  constraint definitions_tenant_id_workflow_id_version_revision_key UNIQUE (tenant_id, workflow_id, version, revision)
);

create table public.event_partitions (
  partition_name text not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  from_id uuid not null,
  to_id uuid not null,
  swept_at timestamp with time zone,
  constraint event_partitions_check CHECK ((from_at < to_at)),
  constraint event_partitions_from_at_key UNIQUE (from_at),
  constraint event_partitions_pkey PRIMARY KEY (partition_name)
);

create table public.events (
  execution_id uuid not null,
  sequence integer not null,
  kind text not null,
  node_id text,
  payload json not null,
  actor_id text not null,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (execution_id, sequence),
  constraint events_sequence_check CHECK ((sequence >= 1))
);

create table public.execution_labels (
  execution_id uuid not null,
  name text not null,
  value text not null,
  tenant_id text not null,
  created_at timestamp with time zone not null,
  constraint execution_labels_pkey PRIMARY KEY (execution_id, name)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=20000);

create table public.execution_trees (
  root_execution_id uuid not null,
  tenant_id text not null,
  descendants bigint not null,
  constraint execution_trees_descendants_check CHECK ((descendants >= 0)),
  constraint execution_trees_pkey PRIMARY KEY (root_execution_id)
);

create table public.execution_usage (
  execution_id uuid not null,
  tenant_id text not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd double precision not null,
  constraint execution_usage_cost_usd_check CHECK ((cost_usd >= (0)::double precision)),
  constraint execution_usage_input_tokens_check CHECK ((input_tokens >= 0)),
  constraint execution_usage_output_tokens_check CHECK ((output_tokens >= 0)),
  constraint execution_usage_pkey PRIMARY KEY (execution_id)
);

create table public.executions (
  id uuid not null,
  tenant_id text not null,
  definition_id uuid not null,
  workflow_id text not null,
  workflow_version text not null,
  shard smallint not null,
  priority integer not null,
  parent_execution_id uuid,
  status text not null,
  last_sequence integer not null,
  error text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  error_class text,
  error_node_id text,
  cause_key bigint,
  constraint executions_check CHECK (((completed_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])))),
  constraint executions_last_sequence_check CHECK ((last_sequence >= 0)),
  constraint executions_pkey PRIMARY KEY (id),
  constraint executions_priority_check CHECK ((priority >= 0)),
  constraint executions_shard_check CHECK ((shard >= 0)),
  constraint executions_status_check CHECK ((status = ANY (ARRAY['running'::text, 'paused'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=20000);

create table public.flow_places (
  tenant_id text not null,
  place_key text not null,
  place integer not null,
  execution_id uuid not null,
  taken_at timestamp with time zone default clock_timestamp() not null,
  is_leaving boolean default false not null,
  constraint flow_places_execution_id_key UNIQUE (execution_id),
  constraint flow_places_pkey PRIMARY KEY (tenant_id, place_key, place),
  constraint flow_places_place_check CHECK ((place >= 1))
);

create table public.flow_waits (
  execution_id uuid not null,
  tenant_id text not null,
  place_key text not null,
  places_max integer,
  shard smallint not null,
  seq bigint generated always as identity not null,
  since timestamp with time zone not null,
  places_key text,
  bucket_key text,
  interval_us bigint,
  burst integer,
  cancels_oldest boolean default false not null,
  due_at timestamp with time zone,
  first_at timestamp with time zone,
  next_line text,
  batch_bytes integer,
  in_line boolean default false not null,
  keeps_limit boolean default false not null,
  keeps_rate boolean default false not null,
  constraint flow_waits_burst_check CHECK ((burst >= 1)),
  constraint flow_waits_interval_us_check CHECK ((interval_us >= 1)),
  constraint flow_waits_pkey PRIMARY KEY (execution_id),
  constraint flow_waits_places_max_check CHECK ((places_max >= 1))
);

create table public.imported_definitions (
  definition_id uuid not null,
  tenant_id text not null,
  workflow_id text not null,
  version text not null,
  revision integer not null,
  ir_hash text not null,
  ir json not null,
  actor_id text not null,
  created_at timestamp with time zone not null,
  constraint imported_definitions_pkey PRIMARY KEY (definition_id),
  constraint imported_definitions_revision_check CHECK ((revision >= 1))
);

create table public.imported_executions (
  import_id uuid not null,
  execution_id uuid not null,
  tenant_id text not null,
  imported_by text not null,
  imported_at timestamp with time zone not null,
  document_sha256 text not null,
  retirement_id uuid,
  event_hashes bytea not null,
  constraint imported_executions_document_sha256_check CHECK ((document_sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint imported_executions_event_hashes_check CHECK (((octet_length(event_hashes) % 32) = 0)),
  constraint imported_executions_pkey PRIMARY KEY (import_id)
);

create table public.leases (
  execution_id uuid not null,
  look_at timestamp with time zone not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  visit integer not null,
  attempt integer not null,
  priority integer not null,
  tenant_id text not null,
  queue text not null,
  worker_id text not null,
  lease_fence bigint not null,
  claimed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  deadline_at timestamp with time zone,
  queue_seq bigint,
  queued_at timestamp with time zone,
  work_item_id uuid not null,
  claim_id uuid,
  node_id text not null,
  idempotency_key text not null,
  constraint work_leases_attempt_check CHECK ((attempt >= 0)),
  constraint work_leases_check CHECK (((deadline_at IS NULL) OR (expires_at <= deadline_at))),
  constraint work_leases_lease_fence_check CHECK (((lease_fence >= 1) AND (lease_fence <= '9007199254740991'::bigint))),
  constraint work_leases_node_timeout_ms_check CHECK ((node_timeout_ms >= 0)),
  constraint work_leases_priority_check CHECK ((priority >= 0)),
  constraint work_leases_queue_check CHECK ((queue = ANY (ARRAY['python_tool'::text, 'java_tool'::text, 'function'::text, 'engine'::text]))),
  constraint work_leases_schedule_to_start_ms_check CHECK ((schedule_to_start_ms >= 0)),
  constraint work_leases_visit_check CHECK ((visit >= 0))
) inherits (public.work_leases) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.memory_facts (
  fact_id uuid not null,
  tenant_id text not null,
  ordinal bigint not null,
  change_seq bigint not null,
  agent_id text,
  end_user_id text,
  content text not null,
  metadata json not null,
  ingestion_key text,
  embedding bytea not null,
  sketch bytea not null,
  created_at timestamp with time zone not null,
  forgotten_at timestamp with time zone,
  forgotten_by text,
  forget_reason text,
  constraint memory_facts_embedding_check CHECK ((octet_length(embedding) = 6144)),
  constraint memory_facts_pkey PRIMARY KEY (fact_id),
  constraint memory_facts_sketch_check CHECK ((octet_length(sketch) = 1544)),
  constraint memory_facts_tenant_id_ordinal_key UNIQUE (tenant_id, ordinal)
);

create table public.memory_settings (
  tenant_id text not null,
  provider text,
  enabled boolean not null,
  key_id text,
  sealed_key text,
  updated_at timestamp with time zone not null,
  constraint memory_settings_check CHECK (((key_id IS NULL) = (sealed_key IS NULL))),
  constraint memory_settings_pkey PRIMARY KEY (tenant_id)
);

create table public.memory_usage (
  tenant_id text not null,
  added bigint default 0 not null,
  live bigint default 0 not null,
  change_seq bigint default 0 not null,
  reservations jsonb default '{}'::jsonb not null,
  last_added_at timestamp with time zone,
  constraint memory_usage_added_check CHECK ((added >= 0)),
  constraint memory_usage_check CHECK (((live >= 0) AND (live <= added))),
  constraint memory_usage_pkey PRIMARY KEY (tenant_id)
);

create table public.quota_buckets (
  bucket_key text not null,
  tenant_id text not null,
  full_at_us bigint not null,
  constraint quota_buckets_pkey PRIMARY KEY (bucket_key)
);

create table public.quota_places (
  work_item_id uuid not null,
  execution_id uuid not null,
  tenant_id text not null,
  quota_key text not null,
  constraint quota_places_pkey PRIMARY KEY (work_item_id)
);

create table public.recorded_outputs (
  execution_id uuid not null,
  idempotency_key text not null,
  work_item_id uuid not null,
  event_sequence integer,
  output json,
  state_patch json,
  created_at timestamp with time zone not null,
  constraint recorded_outputs_check CHECK (((event_sequence IS NULL) = ((output IS NOT NULL) AND (state_patch IS NOT NULL)))),
  constraint recorded_outputs_event_sequence_check CHECK ((event_sequence >= 1)),
  constraint recorded_outputs_pkey PRIMARY KEY (execution_id, idempotency_key)
);

create table public.request_keys (
  tenant_id text not null,
  key text not null,
  body_hash text not null,
  execution_id uuid not null,
  created_at timestamp with time zone not null,
  constraint request_keys_pkey PRIMARY KEY (tenant_id, key)
);

create table public.retention_policies (
  tenant_id text not null,
  workflow_id text not null,
  completed_days integer,
  failed_days integer,
  cancelled_days integer,
  updated_at timestamp with time zone not null,
  constraint retention_policies_cancelled_days_check CHECK (((cancelled_days >= 0) AND (cancelled_days <= 36500))),
  constraint retention_policies_check CHECK ((COALESCE(completed_days, failed_days, cancelled_days) IS NOT NULL)),
  constraint retention_policies_completed_days_check CHECK (((completed_days >= 0) AND (completed_days <= 36500))),
  constraint retention_policies_failed_days_check CHECK (((failed_days >= 0) AND (failed_days <= 36500))),
  constraint retention_policies_pkey PRIMARY KEY (tenant_id, workflow_id)
);

create table public.retired_executions (
  execution_id uuid not null,
  tenant_id text not null,
  retirement_id uuid not null,
  event_hashes bytea not null,
  constraint retired_executions_event_hashes_check CHECK (((octet_length(event_hashes) % 32) = 0)),
  constraint retired_executions_pkey PRIMARY KEY (execution_id, retirement_id)
);

create table public.retry_timers (
  work_item_id uuid not null,
  shard smallint not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null,
  attempt integer not null,
  queue text not null,
  priority integer not null,
  idempotency_key text not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  due_at timestamp with time zone not null,
  held_due_at timestamp with time zone,
  queue_seq bigint,
  queued_at timestamp with time zone,
  released_fence bigint,
  queue_name text,
  constraint retry_timers_attempt_check CHECK ((attempt >= 0)),
  constraint retry_timers_node_timeout_ms_check CHECK ((node_timeout_ms >= 0)),
  constraint retry_timers_pkey PRIMARY KEY (work_item_id),
  constraint retry_timers_priority_check CHECK ((priority >= 0)),
  constraint retry_timers_queue_check CHECK ((queue = ANY (ARRAY['python_tool'::text, 'java_tool'::text, 'function'::text, 'engine'::text]))) NOT VALID,
  constraint retry_timers_schedule_to_start_ms_check CHECK ((schedule_to_start_ms >= 0)),
  constraint retry_timers_visit_check CHECK ((visit >= 0))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.runnable (
  execution_id uuid not null,
  shard smallint not null,
  seq bigint generated always as identity not null,
  bucket_key text,
  admitted_at timestamp with time zone,
  constraint runnable_pkey PRIMARY KEY (execution_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.schedules (
  schedule_id uuid not null,
  tenant_id text not null,
  name text not null,
  workflow_id text not null,
  workflow_version text,
  input json not null,
  cron_expression text,
  every text,
  timezone text not null,
  overlap_policy text not null,
  catchup_window_secs integer not null,
  paused boolean not null,
  next_fire_at timestamp with time zone,
  waiting_fire_at timestamp with time zone,
  starting_fire_at timestamp with time zone,
  late_fires integer default 0 not null,
  due_at timestamp with time zone,
  last_fire_at timestamp with time zone,
  last_execution_id uuid,
  last_error text,
  started bigint default 0 not null,
  skipped bigint default 0 not null,
  missed bigint default 0 not null,
  failed bigint default 0 not null,
  revision integer default 1 not null,
  turn bigint default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint schedules_catchup_window_secs_check CHECK ((catchup_window_secs >= 0)),
  constraint schedules_check CHECK (((cron_expression IS NULL) <> (every IS NULL))),
  constraint schedules_check1 CHECK (((NOT paused) OR (next_fire_at IS NULL))),
  constraint schedules_late_fires_check CHECK ((late_fires >= 0)),
  constraint schedules_overlap_policy_check CHECK ((overlap_policy = ANY (ARRAY['skip'::text, 'queue'::text, 'allow'::text, 'cancel_previous'::text]))),
  constraint schedules_pkey PRIMARY KEY (schedule_id),
  constraint schedules_revision_check CHECK ((revision > 0)),
  constraint schedules_tenant_id_name_key UNIQUE (tenant_id, name),
  constraint schedules_turn_check CHECK ((turn >= 0))
) with (fillfactor=70);

create table public.schema_migrations (
  number integer not null,
  title text not null,
  checksum text not null,
  applied_at timestamp with time zone default clock_timestamp() not null,
  works_from integer,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table public.snapshots (
  execution_id uuid not null,
  sequence integer not null,
  body text not null,
  constraint snapshots_pkey PRIMARY KEY (execution_id),
  constraint snapshots_sequence_check CHECK ((sequence >= 1))
);

create table public.tenants (
  id text not null,
  name text not null,
  status text default 'active'::text not null,
  policy json default '{}'::json not null,
  limits json default '{}'::json not null,
  created_at timestamp with time zone default date_trunc('milliseconds'::text, clock_timestamp()) not null,
  updated_at timestamp with time zone default date_trunc('milliseconds'::text, clock_timestamp()) not null,
  constraint tenants_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text)),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'archived'::text])))
);

create table public.timers (
  execution_id uuid not null,
  name text not null,
  tenant_id text not null,
  due_at timestamp with time zone not null,
  purpose text not null,
  node_id text,
  visit integer,
  left_ms bigint,
  constraint timers_left_ms_check CHECK ((left_ms > 0)),
  constraint timers_pkey PRIMARY KEY (execution_id, name),
  constraint timers_purpose_check CHECK ((purpose = ANY (ARRAY['start_after'::text, 'start_deadline'::text, 'wait'::text, 'approval_timeout'::text, 'workflow_timeout'::text, 'child_ended'::text, 'parent_ended'::text, 'function_wait'::text, 'function_timeout'::text]))),
  constraint timers_visit_check CHECK ((visit >= 0))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.tokens (
  token_id text not null,
  tenant_id text not null,
  name text not null,
  role text not null,
  hash text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  replaced_by text,
  constraint tokens_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  constraint tokens_hash_key UNIQUE (hash),
  constraint tokens_pkey PRIMARY KEY (token_id),
  constraint tokens_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'developer'::text, 'reviewer'::text, 'viewer'::text, 'worker'::text])))
);

create table public.webhook_deliveries (
  delivery_id uuid not null,
  seq bigint generated always as identity not null,
  webhook_id uuid not null,
  tenant_id text not null,
  execution_id uuid not null,
  event_type text not null,
  data json not null,
  status text not null,
  attempts integer not null,
  next_attempt_at timestamp with time zone,
  last_status integer,
  last_error text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_check1 CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_seq_key UNIQUE (seq),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

create table public.webhooks (
  webhook_id uuid not null,
  tenant_id text not null,
  url text not null,
  event_types text[],
  secret text not null,
  status text not null,
  created_at timestamp with time zone not null,
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

create table public.work_items (
  work_item_id uuid not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null,
  queue text not null,
  idempotency_key text not null,
  tool text not null,
  payload json not null,
  retry_policy json,
  heartbeat_interval_ms integer not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  created_at timestamp with time zone not null,
  queue_name text,
  constraint work_items_heartbeat_interval_ms_check CHECK ((heartbeat_interval_ms > 0)),
  constraint work_items_node_timeout_ms_check CHECK ((node_timeout_ms >= 0)),
  constraint work_items_pkey PRIMARY KEY (work_item_id),
  constraint work_items_queue_check CHECK ((queue = ANY (ARRAY['python_tool'::text, 'java_tool'::text, 'function'::text]))) NOT VALID,
  constraint work_items_schedule_to_start_ms_check CHECK ((schedule_to_start_ms >= 0)),
  constraint work_items_visit_check CHECK ((visit >= 0))
);

create table public.work_leases (
  work_item_id uuid not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null,
  attempt integer not null,
  queue text not null,
  priority integer not null,
  idempotency_key text not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  worker_id text not null,
  lease_fence bigint not null,
  claimed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  deadline_at timestamp with time zone,
  queue_seq bigint,
  queued_at timestamp with time zone,
  claim_id uuid,
  constraint work_leases_attempt_check CHECK ((attempt >= 0)),
  constraint work_leases_check CHECK (((deadline_at IS NULL) OR (expires_at <= deadline_at))),
  constraint work_leases_lease_fence_check CHECK (((lease_fence >= 1) AND (lease_fence <= '9007199254740991'::bigint))),
  constraint work_leases_node_timeout_ms_check CHECK ((node_timeout_ms >= 0)),
  constraint work_leases_pkey PRIMARY KEY (work_item_id),
  constraint work_leases_priority_check CHECK ((priority >= 0)),
  constraint work_leases_queue_check CHECK ((queue = ANY (ARRAY['python_tool'::text, 'java_tool'::text, 'function'::text, 'engine'::text]))) NOT VALID,
  constraint work_leases_schedule_to_start_ms_check CHECK ((schedule_to_start_ms >= 0)),
  constraint work_leases_visit_check CHECK ((visit >= 0))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.work_queue (
  work_item_id uuid not null,
  seq bigint generated always as identity not null,
  queue_key text not null,
  shard smallint not null,
  execution_id uuid not null,
  tenant_id text not null,
  node_id text not null,
  visit integer not null,
  attempt integer not null,
  queue text not null,
  priority integer not null,
  idempotency_key text not null,
  node_timeout_ms bigint,
  schedule_to_start_ms bigint,
  start_before timestamp with time zone,
  enqueued_at timestamp with time zone not null,
  queue_name text,
  tool text collate "C",
  constraint work_queue_attempt_check CHECK ((attempt >= 0)),
  constraint work_queue_node_timeout_ms_check CHECK ((node_timeout_ms >= 0)),
  constraint work_queue_pkey PRIMARY KEY (work_item_id),
  constraint work_queue_priority_check CHECK ((priority >= 0)),
  constraint work_queue_queue_check CHECK ((queue = ANY (ARRAY['python_tool'::text, 'java_tool'::text, 'function'::text, 'engine'::text]))) NOT VALID,
  constraint work_queue_schedule_to_start_ms_check CHECK ((schedule_to_start_ms >= 0)),
  constraint work_queue_visit_check CHECK ((visit >= 0))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table public.workers (
  worker_id text not null,
  tenant_id text,
  kind text not null,
  role text,
  queue_types json not null,
  version text not null,
  host text not null,
  started_at timestamp with time zone not null,
  last_heartbeat timestamp with time zone not null,
  tools json,
  queue_names json,
  constraint workers_check CHECK (((kind = 'runtime'::text) = (tenant_id IS NULL))),
  constraint workers_kind_check CHECK ((kind = ANY (ARRAY['runtime'::text, 'tool'::text]))),
  constraint workers_tenant_id_worker_id_key UNIQUE NULLS NOT DISTINCT (tenant_id, worker_id)
);

create table public.workflow_holds (
  execution_id uuid not null,
  tenant_id text not null,
  workflow_id text not null,
  constraint workflow_holds_pkey PRIMARY KEY (execution_id)
);

create table public.workflow_pauses (
  tenant_id text not null,
  workflow_id text not null,
  pause_id uuid not null,
  paused_by text not null,
  reason text,
  paused_at timestamp with time zone not null,
  swept_at timestamp with time zone,
  resumed_by text,
  resumed_at timestamp with time zone,
  constraint workflow_pauses_check CHECK (((resumed_by IS NULL) = (resumed_at IS NULL))),
  constraint workflow_pauses_pkey PRIMARY KEY (tenant_id, workflow_id)
);

CREATE INDEX agents_by_age ON public.agents USING btree (tenant_id, registered_at DESC, agent_id DESC);

CREATE INDEX agents_by_silence ON public.agents USING btree (heard_at) WHERE ((status = 'active'::text) AND (heard_at IS NOT NULL));

CREATE INDEX agents_by_source ON public.agents USING btree (tenant_id, discovered_from) WHERE (discovered_from IS NOT NULL);

CREATE INDEX approvals_by_decision ON public.approvals USING btree (decided_at) WHERE (decided_at IS NOT NULL);

CREATE INDEX approvals_decided ON public.approvals USING btree (tenant_id, decided_at DESC, execution_id DESC, sequence DESC) WHERE (decided_at IS NOT NULL);

CREATE INDEX approvals_open ON public.approvals USING btree (tenant_id, requested_at, execution_id, sequence) WHERE (decided_at IS NULL);

CREATE INDEX artifact_references_by_holder ON public.artifact_references USING btree (holder_id);

CREATE INDEX artifact_uploads_by_age ON public.artifact_uploads USING btree (touched_at);

CREATE INDEX artifacts_by_disuse ON public.artifacts USING btree (unused_since) WHERE (unused_since IS NOT NULL);

CREATE INDEX artifacts_to_read ON public.artifacts USING btree (created_at) WHERE (NOT is_read);

CREATE INDEX audit_log_by_age ON public.audit_log USING btree (tenant_id, created_at DESC, audit_id DESC);

CREATE INDEX audit_log_by_execution ON public.audit_log USING btree (execution_id) WHERE (execution_id IS NOT NULL);

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (created_at);

CREATE INDEX audit_seals_by_window ON public.audit_seals USING btree (window_number);

CREATE INDEX child_places_borrowing ON public.child_places USING btree (tenant_id, parent_execution_id, seq) WHERE ((state = 'waiting'::text) AND (parent_execution_id IS NOT NULL));

CREATE INDEX child_places_lent ON public.child_places USING btree (parent_execution_id) WHERE (state = 'lent'::text);

CREATE INDEX child_places_lent_of_tenant ON public.child_places USING btree (tenant_id) WHERE (state = 'lent'::text);

CREATE INDEX child_places_waiting ON public.child_places USING btree (tenant_id, seq) WHERE (state = 'waiting'::text);

CREATE INDEX dead_letters_by_age ON public.dead_letters USING btree (tenant_id, dead_lettered_at DESC, work_item_id DESC);

CREATE INDEX dead_letters_by_workflow ON public.dead_letters USING btree (tenant_id, workflow_id, dead_lettered_at DESC, work_item_id DESC);

CREATE INDEX definitions_by_workflow ON public.definitions USING btree (tenant_id, workflow_id, seq DESC);

CREATE INDEX events_by_time ON public.events USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX execution_labels_by_value ON public.execution_labels USING btree (tenant_id, name, value, created_at DESC, execution_id DESC);

CREATE INDEX executions_by_age ON public.executions USING btree (tenant_id, created_at DESC, id DESC);

CREATE INDEX executions_by_parent ON public.executions USING btree (parent_execution_id, id) WHERE (parent_execution_id IS NOT NULL);

CREATE INDEX executions_by_status ON public.executions USING btree (tenant_id, status, created_at DESC, id DESC);

CREATE INDEX executions_by_workflow ON public.executions USING btree (tenant_id, workflow_id, created_at DESC, id DESC);

CREATE INDEX flow_waits_by_due ON public.flow_waits USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX flow_waits_by_key ON public.flow_waits USING btree (tenant_id, place_key, seq);

CREATE INDEX flow_waits_cancelling ON public.flow_waits USING btree (tenant_id, place_key, seq) WHERE cancels_oldest;

CREATE INDEX flow_waits_not_in_line ON public.flow_waits USING btree (tenant_id, seq) WHERE (NOT in_line);

CREATE INDEX imported_executions_by_execution ON public.imported_executions USING btree (execution_id);

CREATE INDEX leases_by_execution ON public.leases USING btree (execution_id);

CREATE INDEX leases_by_look ON public.leases USING btree (look_at);

CREATE INDEX memory_facts_by_creation ON public.memory_facts USING btree (tenant_id, created_at DESC) WHERE (forgotten_at IS NULL);

CREATE UNIQUE INDEX memory_facts_by_ingestion_key ON public.memory_facts USING btree (tenant_id, ingestion_key) WHERE ((forgotten_at IS NULL) AND (ingestion_key IS NOT NULL));

CREATE INDEX memory_facts_by_scope ON public.memory_facts USING btree (tenant_id, COALESCE(agent_id, ''::text), COALESCE(end_user_id, ''::text), change_seq);

CREATE INDEX memory_facts_by_user ON public.memory_facts USING btree (tenant_id, end_user_id) WHERE (forgotten_at IS NULL);

CREATE INDEX quota_places_by_quota ON public.quota_places USING btree (quota_key);

CREATE INDEX request_keys_by_age ON public.request_keys USING btree (created_at);

CREATE INDEX retired_executions_by_retirement ON public.retired_executions USING btree (retirement_id);

CREATE INDEX retry_timers_by_due ON public.retry_timers USING btree (due_at);

CREATE INDEX retry_timers_by_execution ON public.retry_timers USING btree (execution_id);

CREATE INDEX runnable_by_shard ON public.runnable USING btree (shard, seq);

CREATE INDEX runnable_with_tokens ON public.runnable USING btree (bucket_key) WHERE (bucket_key IS NOT NULL);

CREATE INDEX schedules_by_age ON public.schedules USING btree (tenant_id, created_at DESC, schedule_id DESC);

CREATE INDEX schedules_by_due ON public.schedules USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX tenants_inactive ON public.tenants USING btree (id) WHERE (status <> 'active'::text);

CREATE INDEX timers_by_due ON public.timers USING btree (due_at);

CREATE INDEX tokens_by_tenant ON public.tokens USING btree (tenant_id, created_at DESC, token_id DESC);

CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (webhook_id, seq DESC);

CREATE INDEX webhook_deliveries_by_due ON public.webhook_deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_deliveries_by_end ON public.webhook_deliveries USING btree (ended_at) WHERE (status <> 'pending'::text);

CREATE INDEX webhook_deliveries_by_execution ON public.webhook_deliveries USING btree (execution_id, webhook_id, seq) WHERE (status = 'pending'::text);

CREATE INDEX webhooks_by_tenant ON public.webhooks USING btree (tenant_id, created_at DESC, webhook_id DESC);

CREATE INDEX work_leases_by_execution ON public.work_leases USING btree (execution_id);

CREATE INDEX work_leases_by_expiry ON public.work_leases USING btree (expires_at);

CREATE INDEX work_queue_below_quotas ON public.work_queue USING btree (queue_key) WHERE ((queue_name IS NOT NULL) AND (strpos(queue_key, '#'::text) > 0));

CREATE INDEX work_queue_by_execution ON public.work_queue USING btree (execution_id);

CREATE INDEX work_queue_by_tool ON public.work_queue USING btree (queue_key, tool, priority, seq) WHERE (queue <> 'engine'::text);

CREATE INDEX work_queue_named ON public.work_queue USING btree (tenant_id) WHERE (queue_name IS NOT NULL);

CREATE INDEX work_queue_next ON public.work_queue USING btree (queue_key, priority, seq);

CREATE INDEX work_queue_of_engine ON public.work_queue USING btree (tenant_id, priority, seq) WHERE (queue_key = 'engine'::text);

CREATE INDEX work_queue_overdue ON public.work_queue USING btree (start_before) WHERE (start_before IS NOT NULL);

CREATE INDEX work_queue_shares ON public.work_queue USING btree (queue_key, split_part(queue_name, '~'::text, 2), priority, seq) WHERE (strpos(queue_key, '~'::text) > 0);

CREATE INDEX workflow_holds_by_workflow ON public.workflow_holds USING btree (tenant_id, workflow_id, execution_id);

CREATE OR REPLACE FUNCTION public.abandon_event_partitions()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform set_config('lock_timeout', '200ms', true);
  if (select c.relkind from pg_class c where c.oid = to_regclass('public.events')) <> 'p' then
    alter table public.events drop constraint if exists events_before;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.add_event_partition(begin_at timestamp with time zone, end_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  name constant text :=
    'events_' || to_char(begin_at at time zone 'UTC', 'YYYYMMDD_HH24MI');
begin
  execute format('create table public.%I (like public.events including all)', name);
  perform public.protect_event_partition(name);
  execute format(
    'alter table public.events
       attach partition public.%I for values from (%L) to (%L)',
    name, public.uuid_floor(begin_at), public.uuid_floor(end_at)
  );
  insert into public.event_partitions (partition_name, from_at, to_at, from_id, to_id)
  values (name, begin_at, end_at, public.uuid_floor(begin_at), public.uuid_floor(end_at));
end
$function$;

CREATE OR REPLACE FUNCTION public.admit_children(tenant text, at_most integer)
 RETURNS TABLE(admitted_id uuid, admitted_shard smallint)
 LANGUAGE plpgsql
AS $function$
declare
  -- So many executions are looked at, the oldest, before all are counted.
  looked_at_max constant bigint := 2000;
  places_max bigint;
  queues boolean;
  free bigint;
begin
  select (t.limits ->> 'max_concurrent_executions')::bigint, t.limits ->> 'when_full' = 'queue'
  into places_max, queues
  from public.tenants t
  where t.id = tenant
    and t.status = 'active'
  for no key update;
  if not found then
    return;
  end if;

  if places_max is not null and (
    queues or exists (
      select
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id is null
    )
  ) then
    with unlisted as materialized (
      select f.execution_id, f.shard, f.seq, f.since
      from public.flow_waits f
      where f.tenant_id = tenant
        and not f.in_line
      order by f.seq
      -- One that leaves the line of its key at this moment begins with the place that it is counted with.
      for update skip locked
    ),
    listed as (
      update public.flow_waits f
      set in_line = true
      where f.execution_id = any(array(select u.execution_id from unlisted u))
    )
    insert into public.child_places (
      execution_id, tenant_id, parent_execution_id, shard, state, since
    )
    select u.execution_id, tenant, null, u.shard, 'later', u.since
    from unlisted u
    order by u.seq
    on conflict (execution_id) do nothing;
  end if;

  -- What has ended borrows nothing any more. A subquery instead of a join, which would read all executions.
  delete from public.child_places c
  where c.tenant_id = tenant
    and c.state = 'lent'
    and (
      select e.status in ('running', 'paused')
      from public.executions e
      where e.id = c.execution_id
    ) is not true;

  return query
  -- From one parent to the next by the index, however many children of each wait.
  with recursive parents as (
    (
      select c.parent_execution_id as id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id is not null
      order by c.parent_execution_id
      limit 1
    )
    union all
    select (
      select c.parent_execution_id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id > p.id
      order by c.parent_execution_id
      limit 1
    )
    from parents p
    where p.id is not null
  ),
  picked as materialized (
    select (
      select c.execution_id
      from public.child_places c
      where c.tenant_id = tenant
        and c.state = 'waiting'
        and c.parent_execution_id = p.id
      order by c.seq
      limit 1
    ) as execution_id
    from parents p
    where p.id is not null
      and not exists (
        select
        from public.child_places l
        where l.parent_execution_id = p.id
          and l.state = 'lent'
      )
    limit at_most
  ),
  lent as (
    update public.child_places c
    set state = 'lent'
    where c.execution_id = any(array(select p.execution_id from picked p))
      and c.state = 'waiting'
    returning c.execution_id, c.shard
  ),
  marked as (
    insert into public.runnable (execution_id, shard)
    select l.execution_id, l.shard
    from lent l
    order by l.execution_id
    on conflict (execution_id) do nothing
  )
  select l.execution_id, l.shard
  from lent l;

  free := at_most;
  if places_max is not null then
    -- Those that have places began first, as a rule. So a look at a full tenant ends before those that wait.
    if places_max <= looked_at_max / 2 then
      select places_max - count(*)
      into free
      from (
        select
        from (
          (
            select e.id
            from public.executions e
            where e.tenant_id = tenant
              and e.status = 'paused'
            order by e.created_at, e.id
            limit looked_at_max
          )
          union all
          (
            select e.id
            from public.executions e
            where e.tenant_id = tenant
              and e.status = 'running'
            order by e.created_at, e.id
            limit looked_at_max
          )
        ) e
        -- A subquery instead of a join, which would read all that wait.
        where (select true from public.child_places c where c.execution_id = e.id) is null
        limit places_max
      ) oldest;
    end if;
    if free > 0 then
      select places_max - count(*)
      into free
      from (
        select
        from public.executions e
        where e.tenant_id = tenant
          and e.status in ('running', 'paused')
          and not exists (select from public.child_places c where c.execution_id = e.id)
        limit places_max
      ) live;
    end if;
  end if;

  return query
  with picked as materialized (
    select c.execution_id, c.seq
    from public.child_places c
    where c.tenant_id = tenant
      and c.state = 'waiting'
    order by c.seq
    limit greatest(0, least(free, at_most))
  ),
  placed as (
    delete from public.child_places c
    where c.execution_id = any(array(select p.execution_id from picked p))
      and c.state = 'waiting'
    returning c.execution_id, c.shard, c.seq
  ),
  live as materialized (
    -- A subquery instead of a join: a cached plan must never scan the executions.
    select p.execution_id, p.shard, p.seq
    from placed p
    where (
      select e.status in ('running', 'paused')
      from public.executions e
      where e.id = p.execution_id
    )
  ),
  marked as (
    insert into public.runnable (execution_id, shard)
    select l.execution_id, l.shard
    from live l
    order by l.execution_id
    on conflict (execution_id) do nothing
  )
  select l.execution_id, l.shard
  from live l
  order by l.seq;
end
$function$;

CREATE OR REPLACE FUNCTION public.admit_flow_at_rate(tenant text, line text, of_places text, at_most integer, bucket text, interval_us bigint, burst integer)
 RETURNS TABLE(admitted json, next_us bigint)
 LANGUAGE plpgsql
AS $function$
declare
  now_us bigint;
  in_force record;
  unbegun bigint;
  keeps record;
  full_us bigint;
  room bigint;
  places int;
  begun json := '[]';
begin
  perform pg_advisory_xact_lock_shared(
    hashtextextended(tenant || '/' || (line::json ->> 0), 56)
  );
  perform pg_advisory_xact_lock(hashtextextended(bucket, 38));
  -- All executions of a line keep the limits that their starts brought, or none does.
  select w.keeps_limit as limits, w.keeps_rate as rate
  into keeps
  from public.flow_waits w
  where w.tenant_id = tenant
    and w.place_key = line
  limit 1;
  select case when not keeps.limits then d.places_max end as places_max,
    case when not keeps.rate then d.interval_us end as interval_us,
    case when not keeps.rate then d.burst end as burst
  into in_force
  from public.definitions d
  where d.tenant_id = tenant
    and d.workflow_id = line::json ->> 0
  order by d.seq desc
  limit 1;
  interval_us := coalesce(in_force.interval_us, interval_us);
  burst := coalesce(in_force.burst, burst);
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  select b.full_at_us
  into full_us
  from public.quota_buckets b
  where b.bucket_key = bucket;
  select count(*)
  into unbegun
  from public.runnable r
  where r.bucket_key = bucket
    and r.admitted_at > clock_timestamp() - interval '1 minute'
    and not exists (
      select
      from public.child_places c
      where c.execution_id = r.execution_id
        and c.state = 'waiting'
    );
  full_us := greatest(
    now_us + least(unbegun, burst) * interval_us,
    coalesce(full_us, now_us)
  );
  if full_us > now_us + burst * interval_us then
    full_us := now_us + burst * interval_us;
    update public.quota_buckets b
    set full_at_us = full_us
    where b.bucket_key = bucket;
  end if;
  room := least((now_us + burst * interval_us - full_us) / interval_us, at_most);

  if room > 0 and of_places is not null then
    -- By execution: a start may take over a place meanwhile, and its execution is not in the snapshot.
    delete from public.flow_places g
    where g.execution_id = any(array(
      select p.execution_id
      from public.flow_places p
      where p.tenant_id = tenant
        and p.place_key = of_places
        and (
          select e.status in ('running', 'paused')
          from public.executions e
          where e.id = p.execution_id
        ) is not true
    ));
    select coalesce(in_force.places_max, w.places_max)
    into places
    from public.flow_waits w
    where w.tenant_id = tenant
      and w.place_key = line
    order by w.seq
    limit 1;
    select least(room, coalesce(places, 0) - count(*))
    into room
    from public.flow_places p
    where p.tenant_id = tenant
      and p.place_key = of_places;
  end if;

  if room > 0 then
    with first as materialized (
      -- A subquery instead of a join: a cached plan must never scan the executions.
      select w.execution_id, w.shard, w.seq, w.since, (
        select e.status in ('running', 'paused')
        from public.executions e
        where e.id = w.execution_id
      ) as is_live
      from public.flow_waits w
      where w.tenant_id = tenant
        and w.place_key = line
      order by w.seq
      limit room
      for update skip locked
    ),
    live as materialized (
      select f.execution_id, f.shard, f.since, row_number() over (order by f.seq) as n
      from first f
      where f.is_live
    ),
    free as materialized (
      select g.place, row_number() over (order by g.place) as n
      from generate_series(1, places) as g (place)
      where not exists (
        select
        from public.flow_places p
        where p.tenant_id = tenant
          and p.place_key = of_places
          and p.place = g.place
      )
      order by g.place
      limit room
    ),
    placed as (
      insert into public.flow_places (tenant_id, place_key, place, execution_id)
      select tenant, of_places, f.place, l.execution_id
      from live l
      join free f on f.n = l.n
      order by f.place
      on conflict do nothing
      returning execution_id
    ),
    starting as materialized (
      select l.execution_id, l.shard, l.since, l.n
      from live l
      where of_places is null
        or l.execution_id in (select p.execution_id from placed p)
    ),
    gone as (
      delete from public.flow_waits w
      where w.execution_id = any(array(
        select s.execution_id
        from starting s
        union all
        select f.execution_id
        from first f
        where f.is_live is not true
      ))
    ),
    marked as (
      insert into public.runnable (execution_id, shard, bucket_key, admitted_at)
      select s.execution_id, s.shard, bucket, clock_timestamp()
      from starting s
      order by s.execution_id
      on conflict (execution_id) do update
        set bucket_key = excluded.bucket_key,
          admitted_at = excluded.admitted_at
    )
    select coalesce(
      json_agg(
        json_build_object(
          'id', s.execution_id, 'shard', s.shard, 'waited_ms',
          floor(extract(epoch from clock_timestamp() - s.since) * 1000)
        )
        order by s.n
      ),
      '[]'
    )
    into begun
    from starting s;
  end if;

  if json_array_length(begun) > 0 or unbegun > 0 then
    full_us := full_us + json_array_length(begun) * interval_us;
    insert into public.quota_buckets (bucket_key, tenant_id, full_at_us)
    values (bucket, tenant, full_us)
    on conflict (bucket_key) do update
      set full_at_us = excluded.full_at_us;
  end if;

  return query
  select begun, greatest(0, full_us + interval_us - burst * interval_us - now_us);
end
$function$;

CREATE OR REPLACE FUNCTION public.admit_quota(waiting text, served text, quota text, places integer, at_most integer)
 RETURNS TABLE(admitted_id uuid)
 LANGUAGE plpgsql
AS $function$
declare
  room int;
begin
  perform pg_advisory_xact_lock(hashtextextended(quota, 37));

  -- Items are looked up one by one: a join could be kept as a walk over the whole queue.
  delete from public.quota_places p
  where p.quota_key = quota
    and (
      select true
      from public.work_queue q
      where q.work_item_id = p.work_item_id
        and strpos(q.queue_key, '#') = 0
      limit 1
    ) is not true
    and (
      select true
      from public.work_leases l
      where l.execution_id = p.execution_id
        and l.work_item_id = p.work_item_id
      limit 1
    ) is not true;

  select least(places - count(*), at_most)
  into room
  from public.quota_places p
  where p.quota_key = quota;

  if room <= 0 then
    return;
  end if;

  return query
  with picked as materialized (
    select q.work_item_id
    from public.work_queue q
    where q.queue_key = waiting
    order by q.priority, q.seq
    limit room
    for update skip locked
  ),
  moved as (
    update public.work_queue q
    set queue_key = served,
      -- On the default queue it counts like any other item there. The record of the item keeps the name.
      queue_name = case
        when split_part(q.queue_name, '#', 1) <> 'default' then q.queue_name
      end,
      seq = default
    where q.work_item_id = any(array(select p.work_item_id from picked p))
    returning q.work_item_id, q.execution_id, q.tenant_id
  ),
  placed as (
    insert into public.quota_places (work_item_id, execution_id, tenant_id, quota_key)
    select m.work_item_id, m.execution_id, m.tenant_id, quota
    from moved m
  )
  select m.work_item_id
  from moved m;
end
$function$;

CREATE OR REPLACE FUNCTION public.admit_quota_at_rate(waiting text, served text, quota text, places integer, at_most integer, bucket text, interval_us bigint, burst integer)
 RETURNS TABLE(admitted uuid[], next_us bigint)
 LANGUAGE plpgsql
AS $function$
declare
  now_us bigint;
  full_us bigint;
  room bigint;
  ids uuid[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtextextended(bucket, 38));
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  select b.full_at_us
  into full_us
  from public.quota_buckets b
  where b.bucket_key = bucket;
  full_us := greatest(now_us, coalesce(full_us, now_us));
  room := least((now_us + burst * interval_us - full_us) / interval_us, at_most);

  if room > 0 and places is not null then
    select coalesce(array_agg(a.admitted_id), '{}')
    into ids
    from public.admit_quota(waiting, served, quota, places, room::int) a;
  elsif room > 0 then
    with picked as materialized (
      select q.work_item_id
      from public.work_queue q
      where q.queue_key = waiting
      order by q.priority, q.seq
      limit room
      for update skip locked
    ),
    moved as (
      update public.work_queue q
      set queue_key = served,
        -- On the default queue it counts like any other item there. The record of the item keeps the name.
        queue_name = case
          when split_part(q.queue_name, '#', 1) <> 'default' then q.queue_name
        end,
        seq = default
      where q.work_item_id = any(array(select p.work_item_id from picked p))
      returning q.work_item_id
    )
    select coalesce(array_agg(m.work_item_id), '{}')
    into ids
    from moved m;
  end if;

  if cardinality(ids) > 0 then
    full_us := full_us + cardinality(ids) * interval_us;
    insert into public.quota_buckets (bucket_key, tenant_id, full_at_us)
    values (bucket, split_part(bucket, '/', 1), full_us)
    on conflict (bucket_key) do update
      set full_at_us = excluded.full_at_us;
  end if;

  return query
  select ids, greatest(0, full_us + interval_us - burst * interval_us - now_us);
end
$function$;

CREATE OR REPLACE FUNCTION public.audit_stamp()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$
  select greatest(
    date_trunc('milliseconds', clock_timestamp()),
    (select w.covers_to from public.audit_windows w order by w.window_number desc limit 1)
  )
$function$;

CREATE OR REPLACE FUNCTION public.drop_event_partition(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  span record;
  current_id uuid;
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from public.event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
  ) then
    return false;
  end if;
  -- From one execution to the next by the index, however many events they have.
  select v.execution_id
  into current_id
  from public.events v
  where v.execution_id >= span.from_id
    and v.execution_id < span.to_id
  order by v.execution_id
  limit 1;
  while current_id is not null loop
    if not exists (select from public.retired_executions r where r.execution_id = current_id) then
      return false;
    end if;
    select v.execution_id
    into current_id
    from public.events v
    where v.execution_id > current_id
      and v.execution_id < span.to_id
    order by v.execution_id
    limit 1;
  end loop;
  perform set_config('lock_timeout', '100ms', true);
  execute format('lock table only public.events, only public.%I in access exclusive mode', name);
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
  ) then
    return false;
  end if;
  execute format('drop table public.%I', name);
  delete from public.event_partitions p where p.partition_name = name;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.earlier_run(execution uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select b.id
  from public.events v
  join public.executions b on b.id = replace(
    coalesce(v.payload ->> 'continued_from', v.payload #>> '{retried_from,execution_id}'),
    'exec_', ''
  )::uuid
  where v.execution_id = execution
    and v.sequence = 1
$function$;

CREATE OR REPLACE FUNCTION public.execution_chain(execution uuid)
 RETURNS TABLE(id uuid, parent_id uuid, definition_id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  with recursive chain as (
    select e.id, e.parent_execution_id, e.definition_id
    from public.executions e
    where e.id = execution
    union all
    select p.id, p.parent_execution_id, p.definition_id
    from chain c
    cross join lateral (
      select e.id, e.parent_execution_id, e.definition_id
      from public.executions e
      where e.id = c.parent_execution_id
      limit 1
    ) p
  )
  select c.id, c.parent_execution_id, c.definition_id from chain c
$function$;

CREATE OR REPLACE FUNCTION public.extend_event_partitions()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  newest record;
begin
  select p.from_at, p.to_at
  into newest
  from public.event_partitions p
  order by p.from_at desc
  limit 1;
  if newest is null or newest.from_at - (newest.to_at - newest.from_at) > clock_timestamp() then
    return false;
  end if;
  perform set_config('lock_timeout', '100ms', true);
  perform public.add_event_partition(newest.to_at, newest.to_at + (newest.to_at - newest.from_at));
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.fail_as_serialization()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the rows read have moved meanwhile' using errcode = 'serialization_failure';
end
$function$;

CREATE OR REPLACE FUNCTION public.fence_epoch()
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select hashtextextended(
    pg_relation_filepath('public.lease_fence_seq'),
    (date_part('epoch', pg_postmaster_start_time()) * 1000000)::bigint
  ) & 9223372036854775807
$function$;

CREATE OR REPLACE FUNCTION public.fences_are_ahead()
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select case
    when pg_sequence_last_value('public.fence_epoch_seq') = public.fence_epoch() then true
    else public.raise_fences()
  end
$function$;

CREATE OR REPLACE FUNCTION public.finish_event_partitions(begin_at timestamp with time zone, days integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  granted record;
  rule text;
begin
  perform set_config('lock_timeout', '200ms', true);
  select p.qual
  into rule
  from pg_policies p
  where p.schemaname = current_schema()
    and p.tablename = 'events'
    and p.policyname = 'one_tenant';

  alter table public.events rename to events_before;
  alter index public.events_pkey rename to events_before_pkey;
  alter index public.events_by_time rename to events_before_by_time;
  create table public.events (
    like public.events_before including defaults including storage including constraints
  ) partition by range (execution_id);
  alter table public.events drop constraint events_before;
  alter table public.events add primary key (execution_id, sequence);
  create index events_by_time on public.events using brin (created_at) with (autosummarize = on);
  create trigger refuse_truncate before truncate on public.events
    for each statement execute function public.refuse_change();
  alter table public.events enable always trigger refuse_truncate;
  alter table public.events enable row level security;
  execute format(
    'create policy one_tenant on public.events using (%s) with check (%s)', rule, rule
  );
  for granted in
    select a.privilege_type as privilege, a.grantee
    from pg_class c
    cross join lateral aclexplode(c.relacl) a
    where c.oid = to_regclass('public.events_before')
      and a.grantee <> 0
      and a.grantee <> c.relowner
  loop
    execute format(
      'grant %s on public.events to %I', granted.privilege, pg_get_userbyid(granted.grantee)
    );
  end loop;

  execute format(
    'alter table public.events
       attach partition public.events_before for values from (minvalue) to (%L)',
    public.uuid_floor(begin_at)
  );
  alter table public.events_before drop constraint events_before;
  create table public.events_other (like public.events including all);
  perform public.protect_event_partition('events_other');
  alter table public.events attach partition public.events_other default;
  perform public.add_event_partition(begin_at, begin_at + days * interval '1 day');
  perform public.add_event_partition(
    begin_at + days * interval '1 day', begin_at + 2 * days * interval '1 day'
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.heal_event_partitions()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (
    select
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid
    where t.oid = to_regclass('public.events')
      and t.relkind = 'r'
      and c.conname = 'events_before'
      and substring(pg_get_constraintdef(c.oid) from '''([0-9a-f-]{36})''')::uuid
        < public.uuid_floor(clock_timestamp() + interval '1 day')
  ) then
    return false;
  end if;
  perform public.abandon_event_partitions();
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.import_execution(entry uuid, tenant text, actor text, told json, document text, hashes text, retirement uuid, arriving json, history json, definition json, snapshot text, artifacts text[], ahead_ms_max integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  execution constant uuid := (arriving ->> 'id')::uuid;
  last_sequence constant int := length(hashes) / 64;
  stamp constant timestamptz := public.audit_stamp();
  removed public.retired_executions;
  found_hash text;
  refusal text;
begin
  if not has_table_privilege(session_user, 'public.executions', 'insert') then
    raise exception '% may not import executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  if execution > public.uuid_floor(stamp + ahead_ms_max * interval '1 millisecond')
    or (arriving ->> 'completed_at')::timestamptz > stamp + ahead_ms_max * interval '1 millisecond'
  then
    return 'ahead';
  end if;

  begin
    -- Of a removed execution they may lie in a partition that is not dropped yet. Where somebody else has
    -- imported it just now, the trigger refuses.
    if (public.open_retirement(execution)).retirement_id is not null then
      delete from public.events v where v.execution_id = execution;
    end if;

    insert into public.executions (
      id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
      parent_execution_id, status, last_sequence, error, error_class, error_node_id, cause_key,
      created_at, updated_at, completed_at
    )
    select execution, tenant, a.definition_id, a.workflow_id, a.workflow_version, a.shard, a.priority,
      a.parent_id, a.status, last_sequence, a.error, a.error_class, a.error_node_id, a.cause_key,
      a.created_at, a.completed_at, a.completed_at
    from json_to_record(arriving) as a (
      definition_id uuid, workflow_id text, workflow_version text, shard smallint, priority int,
      parent_id uuid, status text, error text, error_class text, error_node_id text, cause_key bigint,
      created_at timestamptz, completed_at timestamptz
    )
    on conflict (id) do nothing;
    refusal := case when not found then 'there' end;

    removed := public.open_retirement(execution);
    if refusal is null and (
      removed.retirement_id is distinct from retirement
      or removed.tenant_id is distinct from case when retirement is not null then tenant end
      or removed.event_hashes is distinct from
        case when retirement is not null then decode(hashes, 'hex') end
      -- Never removed, or taken back already, and yet not there.
      or retirement is null and (
        exists (select from public.retired_executions r where r.execution_id = execution)
        or exists (select from public.imported_executions i where i.execution_id = execution)
      )
    ) then
      refusal := 'left';
    end if;

    if refusal is null and exists (
      select
      from public.executions p
      where p.id = (arriving ->> 'parent_id')::uuid
        and p.tenant_id <> tenant
    ) then
      refusal := 'parent';
    end if;

    if refusal is null then
      insert into public.imported_definitions (
        definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
      )
      select d.definition_id, tenant, d.workflow_id, d.version, d.revision, d.ir_hash, d.ir, actor,
        stamp
      from json_to_record(definition) as d (
        definition_id uuid, workflow_id text, version text, revision int, ir_hash text, ir json
      )
      where not exists (
          select from public.definitions x where x.definition_id = d.definition_id
        )
      on conflict (definition_id) do nothing;
      select max(x.ir_hash)
      into found_hash
      from (
        select d.ir_hash
        from public.definitions d
        where d.definition_id = (arriving ->> 'definition_id')::uuid
          and d.tenant_id = tenant
        union all
        select d.ir_hash
        from public.imported_definitions d
        where d.definition_id = (arriving ->> 'definition_id')::uuid
          and d.tenant_id = tenant
      ) x;
      if found_hash is distinct from definition ->> 'ir_hash' then
        refusal := 'definition';
      end if;
    end if;

    if refusal is not null then
      raise exception 'refused' using errcode = 'SV001';
    end if;
  exception
    when sqlstate 'SV001' then
      return refusal;
    when restrict_violation then
      return 'there';
  end;

  insert into public.imported_executions (
    import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256, retirement_id,
    event_hashes
  )
  values (
    entry, execution, tenant, actor, stamp, document, retirement, decode(hashes, 'hex')
  );

  insert into public.events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
  select execution, v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
  from json_to_recordset(history) as v (
    sequence int, kind text, node_id text, payload json, actor_id text, created_at timestamptz
  )
  order by v.sequence;

  insert into public.snapshots (execution_id, sequence, body)
  select execution, last_sequence, snapshot
  where snapshot is not null;

  -- References are read from the events of windows, and these are in none.
  insert into public.artifact_references (tenant_id, hash, holder_id)
  select tenant, n.hash, execution
  from unnest(artifacts) as n (hash);

  insert into public.audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (entry, tenant, execution, 'execution_imported', actor, told, stamp);
  return 'imported';
end
$function$;

CREATE OR REPLACE FUNCTION public.join_tenant_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update public.child_places c
  set state = 'waiting',
    seq = default
  where c.execution_id = old.execution_id
    and c.state = 'later';
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.judge_tree(root uuid, execution uuid, exclusive boolean, OUT descendants bigint, OUT is_orphaned boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  if exclusive then
    select t.descendants
    into descendants
    from public.execution_trees t
    where t.root_execution_id = root
    for no key update;
  else
    perform from public.execution_trees t where t.root_execution_id = root for share;
  end if;
  descendants := coalesce(descendants, 0);
  is_orphaned := exists (
    select
    from public.execution_chain(execution) c
    cross join lateral (
      select
      from public.executions e
      where e.id = c.id
        and e.id <> execution
        and e.status in ('completed', 'failed', 'cancelled')
      union all
      select
      from public.timers t
      where t.execution_id = c.id
        and t.name = 'parent_ended'
      limit 1
    ) ended
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.keep_start_in_line()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update public.child_places c
  set state = 'waiting',
    seq = default
  where c.execution_id = old.execution_id
    and c.state = 'later'
    and not exists (
      select from public.flow_waits w where w.execution_id = old.execution_id
    );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.lock_tenant_room(tenant text, executions_max bigint, queued_max bigint, OUT executions_free bigint, OUT queued_free bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform from public.tenants t where t.id = tenant for no key update;
  if executions_max is not null then
    if exists (
      select from public.child_places c where c.tenant_id = tenant and c.state = 'waiting'
    ) then
      executions_free := 0;
    else
      select executions_max - count(*)
      into executions_free
      from (
        select
        from public.executions e
        where e.tenant_id = tenant
          and e.status in ('running', 'paused')
          and not exists (select from public.child_places c where c.execution_id = e.id)
        limit executions_max
      ) live;
    end if;
  end if;
  if queued_max is not null then
    select queued_max - count(*)
    into queued_free
    from (
      (
        select
        from public.work_queue q
        where q.queue_key in (
          tenant || '/python_tool', tenant || '/java_tool', tenant || '/function'
        )
        limit queued_max
      )
      union all
      (
        select
        from public.work_queue q
        where q.tenant_id = tenant
          and q.queue_name is not null
        limit queued_max
      )
    ) queued;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.lock_workflow_room(tenant text, workflow text, workflows_max bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform from public.tenants t where t.id = tenant for no key update;
  return exists (
    select
    from public.definitions d
    where d.tenant_id = tenant
      and d.workflow_id = workflow
  ) or workflows_max > (
    select count(distinct d.workflow_id)
    from public.definitions d
    where d.tenant_id = tenant
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.may_be_retired(e public.executions)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select e.status in ('completed', 'failed', 'cancelled')
    -- So long an Idempotency-Key counts, and longer than a message to a webhook is tried.
    and e.completed_at <= clock_timestamp() - interval '1 day'
    and not exists (
      select
      from public.executions c
      where c.parent_execution_id = e.id
        and c.status in ('running', 'paused')
    )
    and not exists (select from public.timers t where t.execution_id = e.id)
    and not exists (
      select
      from public.webhook_deliveries d
      where d.execution_id = e.id
        and d.status = 'pending'
    )
    -- A fire that was never settled is started again under the same id.
    and not exists (
      select
      from public.schedules s
      where s.tenant_id = e.tenant_id
        and s.starting_fire_at <= clock_timestamp() - interval '1 day'
    )
    and not exists (
      select
      from public.events v
      where v.execution_id = e.id
        and v.created_at >= coalesce(
          (select w.covers_to from public.audit_windows w order by w.window_number desc limit 1),
          '-infinity'
        )
    )
$function$;

CREATE OR REPLACE FUNCTION public.name_workflow_of_dead_letter()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  select e.workflow_id into new.workflow_id
  from public.executions e
  where e.id = new.execution_id;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.next_run(e public.executions)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select replace(v.payload ->> 'continued_as', 'exec_', '')::uuid
  from public.events v
  where v.execution_id = e.id
    and v.sequence = e.last_sequence
$function$;

CREATE OR REPLACE FUNCTION public.note_event_partition_swept(name text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update public.event_partitions p set swept_at = clock_timestamp() where p.partition_name = name
$function$;

CREATE OR REPLACE FUNCTION public.open_retirement(execution uuid)
 RETURNS public.retired_executions
 LANGUAGE sql
 STABLE
AS $function$
  select r
  from public.retired_executions r
  where r.execution_id = execution
    and not exists (
      select
      from public.imported_executions i
      where i.execution_id = r.execution_id
        and i.retirement_id = r.retirement_id
    )
  limit 1
$function$;

CREATE OR REPLACE FUNCTION public.prepare_event_partitions()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  begin_at constant timestamptz :=
    date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC' + interval '2 days';
begin
  if (select c.relkind from pg_class c where c.oid = to_regclass('public.events')) = 'p' then
    return null;
  end if;
  perform set_config('lock_timeout', '200ms', true);
  alter table public.events drop constraint if exists events_before;
  execute format(
    'alter table public.events
       add constraint events_before check (execution_id < %L) not valid',
    public.uuid_floor(begin_at)
  );
  return begin_at;
end
$function$;

CREATE OR REPLACE FUNCTION public.protect_event_partition(name text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  execute format(
    'create trigger refuse_change before update or delete on public.%1$I
       for each row execute function public.refuse_change();
     create trigger refuse_truncate before truncate on public.%1$I
       for each statement execute function public.refuse_change();
     alter table public.%1$I enable always trigger refuse_change;
     alter table public.%1$I enable always trigger refuse_truncate;
     alter table public.%1$I enable row level security',
    name
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.raise_fences()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- A key of this function alone, held for two calls; those who come later find it done.
  perform pg_advisory_lock(1937138481, 0);
  if pg_sequence_last_value('public.fence_epoch_seq') is distinct from public.fence_epoch() then
    perform setval('public.lease_fence_seq', greatest(
      coalesce(pg_sequence_last_value('public.lease_fence_seq'), 1),
      floor(extract(epoch from clock_timestamp()) * 1048576)::bigint
    ));
    perform setval('public.fence_epoch_seq', public.fence_epoch());
  end if;
  perform pg_advisory_unlock(1937138481, 0);
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' and (tg_table_name = 'events' or starts_with(tg_table_name, 'events_')) then
    if exists (select from public.retired_executions r where r.execution_id = old.execution_id)
      and not exists (select from public.executions e where e.id = old.execution_id)
    then
      return old;
    end if;
  end if;
  raise exception '% of % is refused: what happened is only ever added to', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_outright()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a commit of this batch does not hold' using errcode = 'SV001';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_unless_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if current_user <> (
    select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid
  ) then
    raise exception '% of % is refused: executions are removed by retire_executions() and imported by import_execution()',
      tg_op, tg_table_name
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.release_artifacts(holders uuid[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with gone as (
    delete from public.artifact_references r
    where r.holder_id = any(holders)
    returning r.tenant_id, r.hash
  ),
  held as materialized (
    select a.tenant_id, a.hash
    from public.artifacts a
    where (a.tenant_id, a.hash) in (select g.tenant_id, g.hash from gone g)
    order by a.tenant_id, a.hash
    for update
  )
  update public.artifacts a
  set unused_since = clock_timestamp()
  from held h
  where a.tenant_id = h.tenant_id
    and a.hash = h.hash
$function$;

CREATE OR REPLACE FUNCTION public.release_artifacts_of_artifacts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform public.release_artifacts(array(select g.upload_id from gone g));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.release_artifacts_of_executions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform public.release_artifacts(array(select g.id from gone g));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.remove_checkpoints()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from public.checkpoints c
  using gone g
  where c.execution_id = g.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.rescale_start_buckets()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  now_us bigint;
  last_interval_us bigint;
  last_burst int;
begin
  perform pg_advisory_xact_lock(hashtextextended(new.tenant_id || '/' || new.workflow_id, 56));
  now_us := floor(extract(epoch from clock_timestamp()) * 1000000);
  if exists (
    select
    from public.definitions d
    where d.tenant_id = new.tenant_id
      and d.workflow_id = new.workflow_id
      and d.seq > new.seq
  ) then
    return null;
  end if;
  select d.interval_us, d.burst
  into last_interval_us, last_burst
  from public.definitions d
  where d.tenant_id = new.tenant_id
    and d.workflow_id = new.workflow_id
    and d.seq < new.seq
  order by d.seq desc
  limit 1;
  if last_interval_us = new.interval_us and last_burst = new.burst then
    return null;
  end if;
  update public.quota_buckets b
  set full_at_us = now_us + new.interval_us * (
    -- Without the last rate, the bucket has no fewer than 0 tokens.
    new.burst - greatest(0, least(new.burst, coalesce(
      last_burst - (b.full_at_us - now_us + last_interval_us - 1) / last_interval_us,
      new.burst - (b.full_at_us - now_us + new.interval_us - 1) / new.interval_us
    )))
  )
  where b.tenant_id = new.tenant_id
    and starts_with(
      b.bucket_key,
      new.tenant_id || '/start#[' || to_json(new.workflow_id)::text || ','
    )
    -- Those of rates that starts brought have a name of their own.
    and right(b.bucket_key, 16) <> ',"start","rate"]'
    and b.full_at_us > now_us;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.retire_executions(retirement uuid, tenant text, actor text, told json, leaving json)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  ids uuid[];
  items uuid[];
  held bigint;
begin
  if not has_table_privilege(session_user, 'public.executions', 'delete') then
    raise exception '% may not remove executions', session_user
      using errcode = 'insufficient_privilege';
  end if;
  select array_agg(l.id order by l.id)
  into ids
  from json_to_recordset(leaving) as l (id uuid);
  perform from public.executions e where e.id = any(ids) order by e.id for update;
  select count(*)
  into held
  from public.executions e
  join json_to_recordset(leaving) as l (id uuid, sequence int, hashes text) on l.id = e.id
  where e.tenant_id = tenant
    and e.last_sequence = l.sequence
    and length(l.hashes) = l.sequence * 64
    and public.may_be_retired(e)
    and not exists (
      select
      from public.executions p
      where p.id = e.parent_execution_id
        and p.id <> all(ids)
    )
    and coalesce(public.earlier_run(e.id) = any(ids), true);
  if held is distinct from json_array_length(leaving) then
    return 0;
  end if;

  insert into public.retired_executions (execution_id, tenant_id, retirement_id, event_hashes)
  select l.id, tenant, retirement, decode(l.hashes, 'hex')
  from json_to_recordset(leaving) as l (id uuid, hashes text);

  -- A schedule that follows the runs it has started continues with the next.
  update public.schedules s
  set last_execution_id = n.next,
    turn = s.turn + 1
  from (
    select e.id, public.next_run(e) as next
    from public.executions e
    where e.id = any(ids)
  ) n
  where s.last_execution_id = n.id
    and n.next is not null;

  select coalesce(array_agg(distinct (v.payload ->> 'work_item_id')::uuid), '{}')
  into items
  from public.events v
  where v.execution_id = any(ids)
    and v.kind in ('NodeScheduled', 'NodeResumed', 'RetryScheduled')
    and v.payload ->> 'work_item_id' is not null;

  delete from public.executions e where e.id = any(ids);
  delete from public.approvals a where a.execution_id = any(ids);
  delete from public.execution_labels l where l.execution_id = any(ids);
  delete from public.snapshots s where s.execution_id = any(ids);
  delete from public.runnable r where r.execution_id = any(ids);
  delete from public.recorded_outputs r where r.execution_id = any(ids);
  delete from public.execution_usage u where u.execution_id = any(ids);
  delete from public.work_items i where i.work_item_id = any(items) and i.execution_id = any(ids);
  delete from public.dead_letters d where d.work_item_id = any(items) and d.execution_id = any(ids);
  -- Those of a partition go with it, or are swept from it later.
  delete from public.events v
  where v.execution_id = any(ids)
    and not exists (
      select
      from public.event_partitions p
      where v.execution_id >= p.from_id
        and v.execution_id < p.to_id
    );

  insert into public.audit_log (
    audit_id, tenant_id, execution_id, event_type, actor_id, payload, created_at
  )
  values (retirement, tenant, null, 'executions_retired', actor, told, public.audit_stamp());
  return held;
end
$function$;

CREATE OR REPLACE FUNCTION public.shrink_event_partition(name text, events_max integer, bytes_min bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  span record;
  staying uuid[];
  current_id uuid;
  kept constant text := name || '_kept';
begin
  select p.from_id, p.to_id, p.to_at
  into span
  from public.event_partitions p
  where p.partition_name = name;
  if span is null or span.to_at > clock_timestamp() - interval '1 day' then
    return false;
  end if;
  staying := array(
    select e.id
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
    order by e.id
    limit events_max + 1
  );
  if (
    select sum(e.last_sequence) > events_max
    from public.executions e
    where e.id = any(staying)
  ) then
    return false;
  end if;
  if pg_total_relation_size(to_regclass(format('public.%I', name))) < bytes_min + 4 * (
    select coalesce(sum(pg_column_size(v.payload) + 200), 0)
    from public.events v
    where v.execution_id = any(staying)
      and v.execution_id >= span.from_id
      and v.execution_id < span.to_id
  ) then
    return false;
  end if;
  -- From one execution to the next by the index, however many events they have.
  select v.execution_id
  into current_id
  from public.events v
  where v.execution_id >= span.from_id
    and v.execution_id < span.to_id
  order by v.execution_id
  limit 1;
  while current_id is not null loop
    if current_id <> all(staying) and not exists (
      select from public.retired_executions r where r.execution_id = current_id
    ) then
      return false;
    end if;
    select v.execution_id
    into current_id
    from public.events v
    where v.execution_id > current_id
      and v.execution_id < span.to_id
    order by v.execution_id
    limit 1;
  end loop;
  perform set_config('lock_timeout', '100ms', true);
  execute format('lock table only public.%I in access exclusive mode', name);
  if exists (
    select
    from public.executions e
    where e.id >= span.from_id
      and e.id < span.to_id
      and e.id <> all(staying)
  ) then
    return false;
  end if;
  execute format(
    'create unlogged table public.%2$I as
       select v.* from public.%1$I v where v.execution_id = any($1)',
    name, kept
  )
  using staying;
  execute format('alter table public.%I disable trigger refuse_truncate', name);
  execute format('truncate only public.%I', name);
  execute format('alter table public.%I enable always trigger refuse_truncate', name);
  execute format('insert into public.%1$I select s.* from public.%2$I s', name, kept);
  execute format('drop table public.%I', kept);
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.tag_fair_item()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  share constant text := split_part(new.queue_name, '~', 2);
  weight constant float8 := split_part(split_part(new.queue_name, '#', 1), '~', 3);
  turn constant bigint := ceil(65536 / weight);
  before bigint;
begin
  new.queue_key := split_part(new.queue_key, '~', 1) || '~';
  -- It returns to its place.
  if new.seq < 0 then
    return new;
  end if;

  while not pg_try_advisory_xact_lock(hashtextextended(new.queue_key || share, 45)) loop
    exit when clock_timestamp() >= statement_timestamp() + case
      when current_setting('svc.queues_in_order', true) = 'on' then interval '500 milliseconds'
      else interval '20 milliseconds'
    end;
    perform pg_sleep(0.001);
  end loop;

  select q.seq
  into before
  from public.work_queue q
  where strpos(q.queue_key, '~') > 0
    and q.queue_key = new.queue_key
    and split_part(q.queue_name, '~', 2) = share
    and q.priority = new.priority
  order by q.seq desc
  limit 1;

  if before is null then
    select q.seq
    into before
    from public.work_queue q
    where q.queue_key = new.queue_key
      and q.priority = new.priority
    order by q.seq
    limit 1;
    before := coalesce(before, -4503599627370496) - (turn + 49) / 50;
  end if;

  new.seq := before + turn;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.uuid_floor(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (
    lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20)
  )::uuid
$function$;

CREATE TRIGGER release_artifacts AFTER DELETE ON public.artifacts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.release_artifacts_of_artifacts();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.audit_windows FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.audit_windows FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER name_workflow_of_dead_letter BEFORE INSERT ON public.dead_letters FOR EACH ROW EXECUTE FUNCTION public.name_workflow_of_dead_letter();

CREATE TRIGGER refuse_change BEFORE UPDATE ON public.definitions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER rescale_start_buckets AFTER INSERT ON public.definitions FOR EACH ROW WHEN ((new.interval_us IS NOT NULL)) EXECUTE FUNCTION public.rescale_start_buckets();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER release_artifacts AFTER DELETE ON public.executions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.release_artifacts_of_executions();

CREATE TRIGGER remove_checkpoints AFTER DELETE ON public.executions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.remove_checkpoints();

CREATE TRIGGER join_tenant_line AFTER DELETE ON public.flow_waits FOR EACH ROW EXECUTE FUNCTION public.join_tenant_line();

CREATE TRIGGER refuse_change BEFORE UPDATE ON public.imported_definitions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.imported_executions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_insert BEFORE INSERT ON public.imported_executions FOR EACH ROW EXECUTE FUNCTION public.refuse_unless_owner();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.imported_executions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_change BEFORE UPDATE ON public.recorded_outputs FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.retired_executions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER refuse_insert BEFORE INSERT ON public.retired_executions FOR EACH ROW EXECUTE FUNCTION public.refuse_unless_owner();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.retired_executions FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER keep_start_in_line AFTER DELETE ON public.timers FOR EACH ROW WHEN ((old.purpose = 'start_after'::text)) EXECUTE FUNCTION public.keep_start_in_line();

CREATE TRIGGER refuse_change BEFORE UPDATE ON public.work_items FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER tag_fair_item BEFORE INSERT OR UPDATE OF queue_key ON public.work_queue FOR EACH ROW WHEN (((strpos(new.queue_key, '~'::text) > 0) AND (strpos(new.queue_key, '#'::text) = 0))) EXECUTE FUNCTION public.tag_fair_item();

alter table public.agents enable row level security;

alter table public.approvals enable row level security;

alter table public.artifact_chunks enable row level security;

alter table public.artifact_references enable row level security;

alter table public.artifact_survey enable row level security;

alter table public.artifact_uploads enable row level security;

alter table public.artifacts enable row level security;

alter table public.audit_log enable row level security;

alter table public.audit_seals enable row level security;

alter table public.checkpoints enable row level security;

alter table public.child_places enable row level security;

alter table public.dead_letters enable row level security;

alter table public.definitions enable row level security;

alter table public.event_partitions enable row level security;

alter table public.events enable row level security;

alter table public.execution_labels enable row level security;

alter table public.execution_trees enable row level security;

alter table public.execution_usage enable row level security;

alter table public.executions enable row level security;

alter table public.flow_places enable row level security;

alter table public.flow_waits enable row level security;

alter table public.imported_definitions enable row level security;

alter table public.imported_executions enable row level security;

alter table public.leases enable row level security;

alter table public.memory_facts enable row level security;

alter table public.memory_settings enable row level security;

alter table public.memory_usage enable row level security;

alter table public.quota_buckets enable row level security;

alter table public.quota_places enable row level security;

alter table public.recorded_outputs enable row level security;

alter table public.request_keys enable row level security;

alter table public.retention_policies enable row level security;

alter table public.retired_executions enable row level security;

alter table public.retry_timers enable row level security;

alter table public.runnable enable row level security;

alter table public.schedules enable row level security;

alter table public.snapshots enable row level security;

alter table public.tenants enable row level security;

alter table public.timers enable row level security;

alter table public.tokens enable row level security;

alter table public.webhook_deliveries enable row level security;

alter table public.webhooks enable row level security;

alter table public.work_items enable row level security;

alter table public.work_leases enable row level security;

alter table public.work_queue enable row level security;

alter table public.workers enable row level security;

alter table public.workflow_holds enable row level security;

alter table public.workflow_pauses enable row level security;

create policy one_tenant on public.agents as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.approvals as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.artifact_chunks as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.artifact_references as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy everybody on public.artifact_survey as permissive for all to public
  using (true)
  with check (true);

create policy one_tenant on public.artifact_uploads as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.artifacts as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.audit_log as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.audit_seals as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.checkpoints as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.child_places as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.dead_letters as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.definitions as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy everybody_reads on public.event_partitions as permissive for select to public
  using (true);

create policy one_tenant on public.events as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = events.execution_id)))))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = events.execution_id)))));

create policy one_tenant on public.execution_labels as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.execution_trees as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.execution_usage as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.executions as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.flow_places as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.flow_waits as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.imported_definitions as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.imported_executions as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.leases as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.memory_facts as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.memory_settings as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.memory_usage as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.quota_buckets as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.quota_places as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.recorded_outputs as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = recorded_outputs.execution_id)))))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = recorded_outputs.execution_id)))));

create policy one_tenant on public.request_keys as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.retention_policies as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.retired_executions as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.retry_timers as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.runnable as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = runnable.execution_id)))))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = runnable.execution_id)))));

create policy one_tenant on public.schedules as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.snapshots as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = snapshots.execution_id)))))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (EXISTS ( SELECT
   FROM public.executions e
  WHERE (e.id = snapshots.execution_id)))));

create policy one_tenant on public.tenants as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = id)));

create policy one_tenant on public.timers as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.tokens as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.webhook_deliveries as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.webhooks as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.work_items as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.work_leases as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.work_queue as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.workers as permissive for all to public
  using ((((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)) OR (tenant_id IS NULL)))
  with check ((((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)) OR (tenant_id IS NULL)));

create policy one_tenant on public.workflow_holds as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));

create policy one_tenant on public.workflow_pauses as permissive for all to public
  using (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)))
  with check (((( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('svc.tenant'::text, true) AS current_setting) = tenant_id)));
