-- works from: 14
-- The folded state of a long execution at some of its events, for readers of earlier states. A reader that folds
-- a history writes them, so executions that nobody looks at have none.
create table checkpoints (
  execution_id uuid not null,
  sequence integer not null check (sequence > 0),
  tenant_id text not null,
  body text not null,
  primary key (execution_id, sequence)
);

-- As for every table of tenants, see 0005_tenants.sql.
alter table checkpoints enable row level security;
create policy one_tenant on checkpoints
  using ((select current_setting('svc.tenant', true)) in ('*', tenant_id))
  with check ((select current_setting('svc.tenant', true)) in ('*', tenant_id));

-- An import may bring a removed execution back with another history, so its checkpoints go with it.
do $migration$
declare
  function constant text := $function$
create function public.remove_checkpoints() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  delete from public.checkpoints c
  using gone g
  where c.execution_id = g.id;
  return null;
end
$$;
$function$;
begin
  execute replace(function, 'public', quote_ident(current_schema()));
end
$migration$;

create trigger remove_checkpoints
  after delete on executions
  referencing old table as gone
  for each statement
  execute function remove_checkpoints();
