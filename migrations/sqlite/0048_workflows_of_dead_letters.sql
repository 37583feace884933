-- works from: 14
-- Failures of one workflow are found however many others there are. Null: its execution has been removed.
alter table dead_letters add column workflow_id text;

-- A process that does not know the column writes rows, too, so the database fills it in.
create trigger name_workflow_of_dead_letter after insert on dead_letters begin
  update dead_letters
  set workflow_id = (select e.workflow_id from executions e where e.id = new.execution_id)
  where work_item_id = new.work_item_id;
end;

update dead_letters
set workflow_id = (select e.workflow_id from executions e where e.id = dead_letters.execution_id);

create index dead_letters_by_workflow on dead_letters (
  tenant_id, workflow_id, dead_lettered_at desc, work_item_id desc
);
