-- works from: 14
-- An execution in which another was tried again stays as long as that one is there: its id is worked out
-- from the other's, so once it was gone the same could be tried a second time.
create or replace function earlier_run(execution uuid) returns uuid
language sql
stable
as $$
  select b.id
  from events v
  join executions b on b.id = replace(
    coalesce(v.payload ->> 'continued_from', v.payload #>> '{retried_from,execution_id}'),
    'exec_', ''
  )::uuid
  where v.execution_id = execution
    and v.sequence = 1
$$;
