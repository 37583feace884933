-- works from: 14
-- A look at the line of a tenant reads what it may change, however many executions wait.
-- 1: its execution has a row in the line of its tenant.
alter table flow_waits add column in_line integer not null default 0;
create index flow_waits_not_in_line on flow_waits (tenant_id, seq) where in_line = 0;
create index child_places_borrowing on child_places (tenant_id, parent_execution_id, seq)
  where state = 'waiting' and parent_execution_id is not null;
create index child_places_lent_of_tenant on child_places (tenant_id) where state = 'lent';
