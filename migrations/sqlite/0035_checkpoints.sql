-- works from: 14
-- The folded state of a long execution at some of its events, for readers of earlier states. A reader that folds
-- a history writes them, so executions that nobody looks at have none.
create table checkpoints (
  execution_id text not null,
  sequence integer not null check (sequence > 0),
  tenant_id text not null,
  body text not null,
  primary key (execution_id, sequence)
) strict;

-- An import may bring a removed execution back with another history, so its checkpoints go with it.
create trigger remove_checkpoints
after delete on executions
begin
  delete from checkpoints
  where execution_id = old.id;
end;
