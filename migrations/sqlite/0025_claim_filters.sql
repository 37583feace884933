-- works from: 14
-- Claims for certain tools, named queues, and releases: see the PostgreSQL migration of the same number.
alter table work_items add column queue_name text;

alter table work_queue add column queue_name text;
alter table work_queue add column tool text;

create index work_queue_by_tool on work_queue (queue_key, tool, priority, seq) where queue <> 'engine';
create index work_queue_named on work_queue (tenant_id) where queue_name is not null;

alter table work_leases add column queue_seq integer;
alter table work_leases add column queued_at integer;

alter table retry_timers add column queue_seq integer;
alter table retry_timers add column queued_at integer;
alter table retry_timers add column released_fence integer;

alter table workers add column tools text;
alter table workers add column queue_names text;
