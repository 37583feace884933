-- Artifacts: contents too large for the hot path, by their SHA-256, apart for each tenant. A content
-- is written in chunks under the id of its upload; once all are there, one row makes it an artifact.
-- The same content sent again finds that row, and its chunks are deleted.
create table artifacts (
  tenant_id text not null,
  -- 64 lowercase hex digits.
  hash text not null,
  -- Under which its chunks are.
  upload_id uuid not null unique,
  size bigint not null check (size >= 0),
  content_type text not null,
  created_at timestamptz not null,
  primary key (tenant_id, hash)
);

-- Those that are not whole yet. Nobody sees them, and what is not added to for long is deleted.
create table artifact_uploads (
  upload_id uuid primary key,
  tenant_id text not null,
  touched_at timestamptz not null
);

create index artifact_uploads_by_age on artifact_uploads (touched_at);

create table artifact_chunks (
  upload_id uuid not null,
  -- From 0.
  position integer not null check (position >= 0),
  tenant_id text not null,
  content bytea not null,
  primary key (upload_id, position)
);

-- Contents are mostly compressed or short-lived: packing them again costs more than it saves.
alter table artifact_chunks alter column content set storage external;

-- As for every table of tenants, see migration 0005.
do $$
declare
  name text;
  rule constant text :=
    $sql$(select current_setting('svc.tenant', true)) in ('*', tenant_id)$sql$;
begin
  foreach name in array array['artifacts', 'artifact_uploads', 'artifact_chunks'] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy one_tenant on %I using (%s) with check (%s)', name, rule, rule
    );
  end loop;
end
$$;
