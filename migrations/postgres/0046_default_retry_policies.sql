-- works from: 14
-- Null: the default policy, which is 139 bytes in the log of each item. Older processes cannot read it, so nothing
-- writes it yet. A version that does needs a migration that works from this one.
alter table work_items alter column retry_policy drop not null;
