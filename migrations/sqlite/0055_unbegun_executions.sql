-- works from: 14
-- Executions that have a token of a rate and have not begun: the commit in which they begin removes their mark. Null:
-- the mark is of no admission at a rate.
alter table runnable add column bucket_key text;
alter table runnable add column admitted_at integer;
create index runnable_with_tokens on runnable (bucket_key) where bucket_key is not null;
