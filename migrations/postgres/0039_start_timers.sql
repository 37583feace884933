-- works from: 14
-- Executions that begin later, and deadlines of their start.
alter table timers drop constraint timers_purpose_check;
alter table timers add constraint timers_purpose_check check (
  purpose in (
    'start_after', 'start_deadline', 'wait', 'approval_timeout', 'workflow_timeout', 'child_ended',
    'parent_ended', 'function_wait', 'function_timeout'
  )
);
