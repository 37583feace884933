-- works from: 14
-- Starts that end the oldest executions of their key, see 0036_flow_places.sql.
alter table flow_waits add column cancels_oldest boolean not null default false;

create index flow_waits_cancelling on flow_waits (tenant_id, place_key, seq) where cancels_oldest;

-- A run that continues another keeps the time at which the first run took the place.
alter table flow_places add column taken_at timestamptz not null default clock_timestamp();

update flow_places p
set taken_at = e.created_at
from executions e
where e.id = p.execution_id;

-- The execution is about to end: only its undos and finalizers are left.
alter table flow_places add column is_leaving boolean not null default false;
