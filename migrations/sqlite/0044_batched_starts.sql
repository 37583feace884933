-- works from: 14
-- Starts that gather in batches, see 0042_debounced_starts.sql. They wait in a line of their own, whose
-- `places_max` is the most that one batch takes, and whose oldest wait has the `due_at` of the batch.
-- Bytes of the input, as JSON; null: it gathers in no batch.
alter table flow_waits add column batch_bytes integer;
