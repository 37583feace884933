-- The end of a child tells its parent, and the end of a parent its children, by a timer that is due
-- at once: a row in the transaction of the one, taken away by the transaction of the other.
alter table timers drop constraint timers_purpose_check;
alter table timers add constraint timers_purpose_check check (
  purpose in ('wait', 'approval_timeout', 'workflow_timeout', 'child_ended', 'parent_ended')
);

create index executions_by_parent on executions (parent_execution_id, id)
  where parent_execution_id is not null;
