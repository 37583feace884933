-- works from: 14
-- Concurrency of executions by key: those that wait for a place, and the places that are taken.
create table flow_waits (
  execution_id uuid primary key,
  tenant_id text not null,
  place_key text not null,
  -- The limit that the execution was started with.
  places_max int not null check (places_max >= 1),
  shard smallint not null,
  -- The order in which places are given.
  seq bigint generated always as identity,
  since timestamptz not null
);

create index flow_waits_by_key on flow_waits (tenant_id, place_key, seq);

-- Places of a key have numbers from 1 to its limit. The primary key gives each number once: no more than the
-- limit have begun, whatever processes do at the same time.
create table flow_places (
  tenant_id text not null,
  place_key text not null,
  place int not null check (place >= 1),
  execution_id uuid not null unique,
  primary key (tenant_id, place_key, place)
);

-- As for every table of tenants, see 0005_tenants.sql.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['flow_waits', 'flow_places'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;
