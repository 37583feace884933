-- works from: 14
-- Starts that end the oldest executions of their key, see 0036_flow_places.sql.
alter table flow_waits add column cancels_oldest integer not null default 0;

create index flow_waits_cancelling on flow_waits (tenant_id, place_key, seq) where cancels_oldest = 1;

-- A run that continues another keeps the time at which the first run took the place.
alter table flow_places add column taken_at integer not null default 0;

update flow_places
set taken_at = coalesce(
  (select e.created_at from executions e where e.id = flow_places.execution_id),
  0
);

-- The execution is about to end: only its undos and finalizers are left.
alter table flow_places add column is_leaving integer not null default 0;
