-- works from: 14
-- A timer that is held is due in the infinite future, and keeps the milliseconds that it had left. Null: it runs.
alter table timers add column left_ms integer check (left_ms > 0);
