-- works from: 14
-- Concurrency of executions by key: those that wait for a place, and the places that are taken.
create table flow_waits (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  place_key text not null,
  -- The limit that the execution was started with.
  places_max integer not null check (places_max >= 1),
  shard integer not null,
  since integer not null
) strict;

create index flow_waits_by_key on flow_waits (tenant_id, place_key, seq);

-- Places of a key have numbers from 1 to its limit; the primary key gives each number once.
create table flow_places (
  tenant_id text not null,
  place_key text not null,
  place integer not null check (place >= 1),
  execution_id text not null unique,
  primary key (tenant_id, place_key, place)
) strict, without rowid;
