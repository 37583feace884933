-- What models have used, by execution: its own calls and those of its descendants, written by the
-- transaction that records the call. Budgets are judged by it.
create table execution_usage (
  execution_id uuid primary key,
  tenant_id text not null,
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  -- US dollars, of the calls whose price is known.
  cost_usd double precision not null check (cost_usd >= 0)
);

-- An execution and its ancestors, as far as they are executions of children.
create function execution_chain(execution uuid) returns table (id uuid, parent_id uuid, definition_id uuid)
language sql
stable
as $$
  with recursive chain as (
    select e.id, e.parent_execution_id, e.definition_id
    from executions e
    where e.id = execution
    union all
    select e.id, e.parent_execution_id, e.definition_id
    from chain c
    join executions e on e.id = c.parent_execution_id
  )
  select c.id, c.parent_execution_id, c.definition_id from chain c
$$;

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  alter table execution_usage enable row level security;
  execute format(
    'create policy one_tenant on execution_usage using (%s) with check (%s)', rule, rule
  );
end
$$;
