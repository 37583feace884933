-- Hosted vector memory: what is remembered, how much of it, and the key it is embedded with.
--
-- Every change of a tenant's facts takes the next `change_seq` of its row in `memory_usage` and holds
-- that row to the end of the transaction. So changes become visible in the order of their numbers,
-- and a reader that asks for those after the last one it has seen misses none.

create table memory_settings (
  tenant_id text primary key,
  provider text,
  enabled boolean not null,
  -- Which key sealed `sealed_key`.
  key_id text,
  sealed_key text,
  updated_at timestamptz not null,
  check ((key_id is null) = (sealed_key is null))
);

create table memory_usage (
  tenant_id text primary key,
  -- Facts ever added, and those that are not forgotten.
  added bigint not null default 0 check (added >= 0),
  live bigint not null default 0 check (live between 0 and added),
  change_seq bigint not null default 0,
  -- Places kept for facts that are being embedded: id to the Unix milliseconds when each lapses.
  reservations jsonb not null default '{}',
  last_added_at timestamptz
);

create table memory_facts (
  fact_id uuid primary key,
  tenant_id text not null,
  -- From 1 for each tenant, in the order of adding; never used again.
  ordinal bigint not null,
  change_seq bigint not null,
  agent_id text,
  end_user_id text,
  content text not null,
  metadata json not null,
  ingestion_key text,
  -- 1536 float32 of a unit vector, and its sketch: 8-bit codes, scale and length of the error.
  embedding bytea not null check (octet_length(embedding) = 6144),
  sketch bytea not null check (octet_length(sketch) = 1544),
  created_at timestamptz not null,
  forgotten_at timestamptz,
  forgotten_by text,
  forget_reason text,
  unique (tenant_id, ordinal)
);

-- Noise does not compress. Sketches are read by the thousand and stay in the row; embeddings, of
-- which a recall reads a few dozen, stand aside.
alter table memory_facts alter column embedding set storage external;
alter table memory_facts alter column sketch set storage plain;

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
  audit_id uuid primary key,
  tenant_id text not null,
  event_type text not null,
  actor_id text not null,
  payload json not null,
  created_at timestamptz not null
);
