-- works from: 14
-- Durable functions have a queue of their own, and timers for what they wait for. SQLite changes no
-- constraint of a table, so the tables that name queues and purposes are made anew.

create table timers_anew (
  execution_id text not null,
  name text not null,
  tenant_id text not null,
  due_at integer not null,
  purpose text not null check (
    purpose in (
      'wait', 'approval_timeout', 'workflow_timeout', 'child_ended', 'parent_ended',
      'function_wait', 'function_timeout'
    )
  ),
  node_id text,
  visit integer check (visit >= 0),
  primary key (execution_id, name)
) strict, without rowid;

insert into timers_anew (
  execution_id, name, tenant_id, due_at, purpose, node_id, visit
)
select
  execution_id, name, tenant_id, due_at, purpose, node_id, visit
from timers;

drop table timers;
alter table timers_anew rename to timers;
create index timers_by_due on timers (due_at);

create table work_items_anew (
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

insert into work_items_anew (
  work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool, payload,
  retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms, created_at,
  queue_name
)
select
  work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool, payload,
  retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms, created_at,
  queue_name
from work_items;

drop table work_items;
alter table work_items_anew rename to work_items;


create trigger work_items_refuse_update before update on work_items begin
  select raise(abort, 'UPDATE of work_items is refused: an item stays as it was made');
end;

create table work_queue_anew (
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

insert into work_queue_anew (
  seq, work_item_id, queue_key, shard, execution_id, tenant_id, node_id, visit, attempt, queue,
  priority, idempotency_key, node_timeout_ms, schedule_to_start_ms, start_before, enqueued_at,
  queue_name, tool
)
select
  seq, work_item_id, queue_key, shard, execution_id, tenant_id, node_id, visit, attempt, queue,
  priority, idempotency_key, node_timeout_ms, schedule_to_start_ms, start_before, enqueued_at,
  queue_name, tool
from work_queue;

drop table work_queue;
alter table work_queue_anew rename to work_queue;
create index work_queue_by_execution on work_queue (execution_id);
create index work_queue_by_tool on work_queue (queue_key, tool, priority, seq) where queue <> 'engine';
create index work_queue_named on work_queue (tenant_id) where queue_name is not null;
create index work_queue_next on work_queue (queue_key, priority, seq);
create index work_queue_overdue on work_queue (start_before) where start_before is not null;

create table work_leases_anew (
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
  queued_at integer,
  check (deadline_at is null or expires_at <= deadline_at)
) strict, without rowid;

insert into work_leases_anew (
  work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms, worker_id, lease_fence, claimed_at,
  expires_at, deadline_at, queue_seq, queued_at
)
select
  work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms, worker_id, lease_fence, claimed_at,
  expires_at, deadline_at, queue_seq, queued_at
from work_leases;

drop table work_leases;
alter table work_leases_anew rename to work_leases;
create index work_leases_by_execution on work_leases (execution_id);
create index work_leases_by_expiry on work_leases (expires_at);

create table retry_timers_anew (
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
) strict, without rowid;

insert into retry_timers_anew (
  work_item_id, shard, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms, due_at, held_due_at, queue_seq,
  queued_at, released_fence
)
select
  work_item_id, shard, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms, due_at, held_due_at, queue_seq,
  queued_at, released_fence
from retry_timers;

drop table retry_timers;
alter table retry_timers_anew rename to retry_timers;
create index retry_timers_by_due on retry_timers (due_at);
create index retry_timers_by_execution on retry_timers (execution_id);
