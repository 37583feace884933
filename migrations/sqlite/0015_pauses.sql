-- works from: 14
-- Of an execution that is paused, what waits on a queue or for a retry is held among the retries, due
-- at a time that never comes (9999-12-31). `held_due_at`: when it is due once it is given back.
-- Null: it is not held.
alter table retry_timers add column held_due_at integer;
