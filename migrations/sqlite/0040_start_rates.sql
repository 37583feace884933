-- works from: 14
-- Rates of starts. `place_key` of a wait names its line; with a rate, the line also has the key of the
-- rate, and `places_key` names the places, if there is a limit of them. SQLite changes no constraint of a table,
-- so the table is made anew.
create table flow_waits_anew (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  place_key text not null,
  -- The limit that the execution was started with; null: none.
  places_max integer check (places_max >= 1),
  shard integer not null,
  since integer not null,
  places_key text,
  bucket_key text,
  -- From one token to the next, in microseconds, and the most tokens at once.
  interval_us integer check (interval_us >= 1),
  burst integer check (burst >= 1)
) strict;

insert into flow_waits_anew (seq, execution_id, tenant_id, place_key, places_max, shard, since)
select seq, execution_id, tenant_id, place_key, places_max, shard, since
from flow_waits;

drop table flow_waits;
alter table flow_waits_anew rename to flow_waits;
create index flow_waits_by_key on flow_waits (tenant_id, place_key, seq);
