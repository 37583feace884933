-- works from: 14
-- Counts and searches by labels read the newest entries of indexes, and each execution or label whose page vacuum has
-- not seen since its last change. By default, vacuum comes after a fifth of a table has changed: with ten million
-- executions, after two million changes, long after those that a count looks through.
alter table executions set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000
);
alter table execution_labels set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000
);
