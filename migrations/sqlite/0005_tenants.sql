-- What a tenant's status is enforced with. Limits are counted within the transaction that adds to
-- them: there is one writer at a time.

-- Read at every claim and by every loop of a scheduler, and nearly always empty.
create index tenants_inactive on tenants (id) where status <> 'active';

alter table tokens add column last_used_at integer;
-- The token that took its place when it was rotated; it ends then, or after a grace.
alter table tokens add column replaced_by text;
