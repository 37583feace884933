-- Hosted vector memory: what is remembered, how much of it, and the key it is embedded with. The
-- tables and columns of the PostgreSQL migration of the same number.
--
-- Every change of a tenant's facts takes the next `change_seq` of its row in `memory_usage`, so a
-- reader that asks for those after the last one it has seen misses none.

create table memory_settings (
  tenant_id text not null primary key,
  provider text,
  enabled integer not null check (enabled in (0, 1)),
  -- Which key sealed `sealed_key`.
  key_id text,
  sealed_key text,
  updated_at integer not null,
  check ((key_id is null) = (sealed_key is null))
) strict;

create table memory_usage (
  tenant_id text not null primary key,
  -- Facts ever added, and those that are not forgotten.
  added integer not null default 0 check (added >= 0),
  live integer not null default 0 check (live between 0 and added),
  change_seq integer not null default 0,
  -- Places kept for facts that are being embedded: id to the Unix milliseconds when each lapses.
  reservations text not null default '{}',
  last_added_at integer
) strict;

-- The vectors stand last: what comes after a long value in a row is found only by reading past it.
create table memory_facts (
  fact_id text not null primary key,
  tenant_id text not null,
  -- From 1 for each tenant, in the order of adding; never used again.
  ordinal integer not null,
  change_seq integer not null,
  agent_id text,
  end_user_id text,
  content text not null,
  metadata text not null,
  ingestion_key text,
  created_at integer not null,
  forgotten_at integer,
  forgotten_by text,
  forget_reason text,
  -- 1536 float32 of a unit vector, and its sketch: 8-bit codes, scale and length of the error.
  sketch blob not null check (length(sketch) = 1544),
  embedding blob not null check (length(embedding) = 6144),
  unique (tenant_id, ordinal)
) strict;

create index memory_facts_by_scope
  on memory_facts (tenant_id, coalesce(agent_id, ''), coalesce(end_user_id, ''), change_seq);

create index memory_facts_by_creation on memory_facts (tenant_id, created_at desc)
  where forgotten_at is null;

create index memory_facts_by_user on memory_facts (tenant_id, end_user_id)
  where forgotten_at is null;

-- A forgotten fact gives its key free: added again, it is another fact.
create unique index memory_facts_by_ingestion_key on memory_facts (tenant_id, ingestion_key)
  where forgotten_at is null and ingestion_key is not null;

-- What was done to many facts at once, one row each time, in the form of audit items.
create table memory_audit (
  audit_id text not null primary key,
  tenant_id text not null,
  event_type text not null,
  actor_id text not null,
  payload text not null,
  created_at integer not null
) strict;
