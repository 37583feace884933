-- Artifacts: contents too large for the hot path, by their SHA-256, apart for each tenant. A content
-- is written in chunks under the id of its upload; once all are there, one row makes it an artifact.
-- The same content sent again finds that row, and its chunks are deleted.
create table artifacts (
  tenant_id text not null,
  -- 64 lowercase hex digits.
  hash text not null,
  -- Under which its chunks are.
  upload_id text not null unique,
  size integer not null check (size >= 0),
  content_type text not null,
  created_at integer not null,
  primary key (tenant_id, hash)
) strict;

-- Those that are not whole yet. Nobody sees them, and what is not added to for long is deleted.
create table artifact_uploads (
  upload_id text not null primary key,
  tenant_id text not null,
  touched_at integer not null
) strict;

create index artifact_uploads_by_age on artifact_uploads (touched_at);

create table artifact_chunks (
  upload_id text not null,
  -- From 0.
  position integer not null check (position >= 0),
  tenant_id text not null,
  content blob not null,
  primary key (upload_id, position)
) strict;
