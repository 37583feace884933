-- works from: 14
-- Starts that are due begin at once, however many other lines there are, see 0042_debounced_starts.sql.
create index flow_waits_by_due on flow_waits (due_at) where due_at is not null;
