-- works from: 14
-- What a list tells of a failure beside its message. Null: it has not failed, or it failed before this migration, or
-- in a process that doesn't know the columns. `cause_key` is equal for messages of one cause.
alter table executions add column error_class text;
alter table executions add column error_node_id text;
alter table executions add column cause_key bigint;

alter table dead_letters add column error_class text;
alter table dead_letters add column cause_key bigint;
