-- works from: 14
-- What an execution descends from is looked up row by row. The sessions of the service plan joins of tables as
-- hash joins, which read all executions of the installation for each step of a child; a lateral look-up leaves no
-- other plan than the index. As in 0022_child_places.sql and 0023_function_search_paths.sql otherwise.
do $migration$
declare
  functions constant text := $functions$
create or replace function public.execution_chain(execution uuid)
returns table (id uuid, parent_id uuid, definition_id uuid)
language sql
stable
as $$
  with recursive chain as (
    select e.id, e.parent_execution_id, e.definition_id
    from public.executions e
    where e.id = execution
    union all
    select p.id, p.parent_execution_id, p.definition_id
    from chain c
    cross join lateral (
      select e.id, e.parent_execution_id, e.definition_id
      from public.executions e
      where e.id = c.parent_execution_id
      limit 1
    ) p
  )
  select c.id, c.parent_execution_id, c.definition_id from chain c
$$;

create or replace function public.judge_tree(
  root uuid,
  execution uuid,
  exclusive boolean,
  out descendants bigint,
  out is_orphaned boolean
)
language plpgsql
volatile
as $$
begin
  if exclusive then
    select t.descendants
    into descendants
    from public.execution_trees t
    where t.root_execution_id = root
    for no key update;
  else
    perform from public.execution_trees t where t.root_execution_id = root for share;
  end if;
  descendants := coalesce(descendants, 0);
  is_orphaned := exists (
    select
    from public.execution_chain(execution) c
    cross join lateral (
      select
      from public.executions e
      where e.id = c.id
        and e.id <> execution
        and e.status in ('completed', 'failed', 'cancelled')
      union all
      select
      from public.timers t
      where t.execution_id = c.id
        and t.name = 'parent_ended'
      limit 1
    ) ended
  );
end
$$;
$functions$;
begin
  execute replace(functions, 'public.', quote_ident(current_schema()) || '.');
end
$migration$;
