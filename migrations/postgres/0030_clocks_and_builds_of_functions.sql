-- works from: 14
-- A timer that is held is due in the infinite future, and keeps the milliseconds that it had left. Null: it runs.
alter table timers add column left_ms bigint check (left_ms > 0);

-- The queue of an item that waits for a retry or is held, if it is not the one of its node: that of a build.
alter table retry_timers add column queue_name text;
