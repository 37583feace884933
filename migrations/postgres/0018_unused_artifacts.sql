-- works from: 14
-- Artifacts that nothing refers to any more are found and removed by retention. Which execution refers to
-- which artifact is read from its events once they are sealed, so nothing of it is on the way of a commit.

-- Since when nothing may refer to it; null: something that is kept was seen to. Whoever is about to refer
-- to it sets it to now, and so does the end of whatever referred to it.
alter table artifacts add column unused_since timestamptz;
update artifacts set unused_since = clock_timestamp();
alter table artifacts alter column unused_since set default clock_timestamp();
create index artifacts_by_disuse on artifacts (unused_since) where unused_since is not null;

-- Whether its content has been read for the names of other artifacts.
alter table artifacts add column is_read boolean not null default false;
create index artifacts_to_read on artifacts (created_at) where not is_read;

create table artifact_references (
  tenant_id text not null,
  hash text not null,
  -- An execution, or the `upload_id` of an artifact.
  holder_id uuid not null,
  primary key (tenant_id, hash, holder_id)
);

create index artifact_references_by_holder on artifact_references (holder_id);

-- One row: up to which window of the audit log events have been read.
create table artifact_survey (
  is_only boolean primary key default true check (is_only),
  window_number integer not null check (window_number >= 0)
);

insert into artifact_survey (window_number) values (0);

-- As for every table of tenants, see 0005_tenants.sql.
alter table artifact_references enable row level security;
create policy one_tenant on artifact_references
  using ((select current_setting('svc.tenant', true)) in ('*', tenant_id))
  with check ((select current_setting('svc.tenant', true)) in ('*', tenant_id));
alter table artifact_survey enable row level security;
create policy everybody on artifact_survey using (true) with check (true);

-- What they referred to may be unused from now on: somebody else who refers to it is looked for later.
create function release_artifacts(holders uuid[]) returns void
language sql
set search_path from current
as $$
  with gone as (
    delete from artifact_references r
    where r.holder_id = any(holders)
    returning r.tenant_id, r.hash
  ),
  held as materialized (
    select a.tenant_id, a.hash
    from artifacts a
    where (a.tenant_id, a.hash) in (select g.tenant_id, g.hash from gone g)
    order by a.tenant_id, a.hash
    for update
  )
  update artifacts a
  set unused_since = clock_timestamp()
  from held h
  where a.tenant_id = h.tenant_id
    and a.hash = h.hash
$$;

create function release_artifacts_of_executions() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform release_artifacts(array(select g.id from gone g));
  return null;
end
$$;

create function release_artifacts_of_artifacts() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform release_artifacts(array(select g.upload_id from gone g));
  return null;
end
$$;

create trigger release_artifacts after delete on executions
  referencing old table as gone
  for each statement execute function release_artifacts_of_executions();
create trigger release_artifacts after delete on artifacts
  referencing old table as gone
  for each statement execute function release_artifacts_of_artifacts();
