-- works from: 14
-- Rules of flow control that a start brings: a registration of the workflow does not change their limits.
alter table flow_waits add column keeps_limit integer not null default 0;
alter table flow_waits add column keeps_rate integer not null default 0;
