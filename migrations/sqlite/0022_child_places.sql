-- works from: 14
-- Children take places of their tenant's limit and wait for one; trees of executions are bounded.

-- One row for each execution that has started children, which its descendants count in. Rows of ended roots
-- are pruned.
create table execution_trees (
  root_execution_id text not null primary key,
  tenant_id text not null,
  -- All that were ever started, children of children included.
  descendants integer not null check (descendants >= 0)
) strict, without rowid;

-- Children of tenants with a limit of executions, except those that hold a place of their own.
create table child_places (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  parent_execution_id text not null,
  shard integer not null,
  -- 'waiting': it has not begun · 'lent': it has begun in the place of its parent
  state text not null check (state in ('waiting', 'lent')),
  since integer not null
) strict;

create index child_places_waiting on child_places (tenant_id, seq) where state = 'waiting';
create index child_places_lent on child_places (parent_execution_id) where state = 'lent';
