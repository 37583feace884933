-- works from: 14
-- Labels of executions. The history has them too; the index finds executions by a label, in the order of the list.
create table execution_labels (
  execution_id text not null,
  name text not null,
  value text not null,
  tenant_id text not null,
  -- That of the execution.
  created_at integer not null,
  primary key (execution_id, name)
) strict, without rowid;

create index execution_labels_by_value on execution_labels (
  tenant_id, name, value, created_at desc, execution_id desc
);
