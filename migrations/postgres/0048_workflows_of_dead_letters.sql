-- works from: 14
-- Failures of one workflow are found however many others there are. Null: its execution has been removed.
alter table dead_letters add column workflow_id text;

-- A process that does not know the column writes rows, too, so the database fills it in.
do $migration$
declare
  function constant text := $function$
create function public.name_workflow_of_dead_letter() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  select e.workflow_id into new.workflow_id
  from public.executions e
  where e.id = new.execution_id;
  return new;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger name_workflow_of_dead_letter
  before insert on dead_letters
  for each row
  execute function name_workflow_of_dead_letter();

update dead_letters d
set workflow_id = e.workflow_id
from executions e
where e.id = d.execution_id;

create index dead_letters_by_workflow on dead_letters (
  tenant_id, workflow_id, dead_lettered_at desc, work_item_id desc
);
