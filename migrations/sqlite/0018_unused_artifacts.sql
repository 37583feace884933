-- works from: 14
-- The tables of the PostgreSQL migration of the same number. What ends what referred to an artifact is
-- done by the adapter.
alter table artifacts add column unused_since integer;
update artifacts set unused_since = cast(unixepoch('now', 'subsec') * 1000 as integer);
create index artifacts_by_disuse on artifacts (unused_since) where unused_since is not null;
alter table artifacts add column is_read integer not null default 0 check (is_read in (0, 1));
create index artifacts_to_read on artifacts (created_at) where is_read = 0;

create table artifact_references (
  tenant_id text not null,
  hash text not null,
  -- An execution, or the `upload_id` of an artifact.
  holder_id text not null,
  primary key (tenant_id, hash, holder_id)
) strict;

create index artifact_references_by_holder on artifact_references (holder_id);

-- One row: up to which window of the audit log events have been read.
create table artifact_survey (
  is_only integer primary key default 1 check (is_only = 1),
  window_number integer not null check (window_number >= 0)
) strict;

insert into artifact_survey (window_number) values (0);
