-- Agents by their cards. `skills` and `protocols` are taken from the card, to be searched for.
create table agents (
  tenant_id text not null,
  agent_id text not null,
  card json not null,
  uri text,
  skills text[] not null,
  protocols text[] not null,
  status text not null check (status in ('registered', 'active', 'paused', 'deactivated')),
  discovered_from text,
  registered_at timestamptz not null,
  updated_at timestamptz not null,
  last_heartbeat timestamptz,
  -- Where silence is counted from: the last heartbeat, or the activation after it. Null as long as
  -- there was no heartbeat.
  heard_at timestamptz,
  primary key (tenant_id, agent_id),
  check ((last_heartbeat is null) = (heard_at is null))
);

create index agents_by_age on agents (tenant_id, registered_at desc, agent_id desc);
create index agents_by_source on agents (tenant_id, discovered_from)
  where discovered_from is not null;
create index agents_by_silence on agents (heard_at)
  where status = 'active' and heard_at is not null;
