-- works from: 14
-- Rules of flow control that a start brings: a registration of the workflow does not change their limits.
alter table flow_waits add column keeps_limit boolean not null default false;
alter table flow_waits add column keeps_rate boolean not null default false;
