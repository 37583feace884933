-- works from: 14
-- Starts of tenants whose limit of executions is reached may wait, in one line with children. SQLite changes no
-- constraint of a table, so the table is made anew.
create table child_places_anew (
  -- The order in which places are given.
  seq integer primary key,
  execution_id text not null unique,
  tenant_id text not null,
  -- Null: it was started from outside.
  parent_execution_id text,
  shard integer not null,
  -- 'waiting': it has not begun · 'lent': it has begun in the place of its parent · 'later': it waits for its
  -- time or for its key first, and takes no place of the tenant meanwhile
  state text not null check (state in ('waiting', 'lent', 'later')),
  since integer not null
) strict;

insert into child_places_anew (
  seq, execution_id, tenant_id, parent_execution_id, shard, state, since
)
select seq, execution_id, tenant_id, parent_execution_id, shard, state, since
from child_places;

drop table child_places;
alter table child_places_anew rename to child_places;
create index child_places_waiting on child_places (tenant_id, seq) where state = 'waiting';
create index child_places_lent on child_places (parent_execution_id) where state = 'lent';

-- One that leaves the line of its key is the last in that of its tenant, whichever statement lets it leave.
create trigger join_tenant_line after delete on flow_waits
begin
  update child_places
  set state = 'waiting',
    seq = (select max(seq) + 1 from child_places)
  where execution_id = old.execution_id
    and state = 'later';
end;
