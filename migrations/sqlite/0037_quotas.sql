-- works from: 14
-- Quotas of tools. An item below a quota waits on a queue of its own (`src/shared/domain/work/quota.ts`), which no
-- claim looks at, until it gets a place and moves to the queue of its workers.

-- Items that have a place. A place counts while its item is on the queue of its workers or in a lease, and the next
-- admission of the quota removes the others.
create table quota_places (
  work_item_id text primary key,
  execution_id text not null,
  tenant_id text not null,
  quota_key text not null
) strict, without rowid;

create index quota_places_by_quota on quota_places (quota_key);

-- Items without a quota write nothing here.
create index work_queue_below_quotas on work_queue (queue_key)
  where queue_name is not null and instr(queue_key, '#') > 0;
