-- works from: 14
-- Approvals of all executions, so that a list of them reads no histories. The commit that asks, decides or ends the
-- wait writes the row; what is asked and decided is in the events.
create table approvals (
  execution_id text not null,
  -- The ApprovalRequested.
  sequence integer not null check (sequence > 0),
  tenant_id text not null,
  node_id text not null,
  visit integer not null check (visit >= 0),
  -- The wait of a durable function; null: the node itself waits.
  step text,
  requested_at integer not null,
  -- The ApprovalReceived; null: nobody has decided. The row disappears if the wait ends otherwise.
  decided_sequence integer,
  decided_at integer,
  primary key (execution_id, sequence),
  check ((decided_sequence is null) = (decided_at is null))
) strict;

create index approvals_open on approvals (tenant_id, requested_at, execution_id, sequence)
  where decided_at is null;
create index approvals_decided on approvals (
  tenant_id, decided_at desc, execution_id desc, sequence desc
) where decided_at is not null;
create index approvals_by_decision on approvals (decided_at) where decided_at is not null;

insert into approvals (
  execution_id, sequence, tenant_id, node_id, visit, step, requested_at
)
select e.id, v.sequence, e.tenant_id, v.node_id, v.payload ->> 'visit', v.payload ->> 'step',
  v.created_at
from executions e
join events v on v.execution_id = e.id
where e.status in ('running', 'paused')
  and v.kind = 'ApprovalRequested'
  and not exists (
    select 1
    from events o
    where o.execution_id = e.id
      and o.sequence > v.sequence
      and o.node_id = v.node_id
      and o.kind in (
        'ApprovalRequested', 'ApprovalReceived', 'NodeCompleted', 'NodeFailed', 'NodeCancelled'
      )
      and o.payload ->> 'visit' = v.payload ->> 'visit'
      and (
        v.payload ->> 'step' is null
        or o.payload ->> 'step' is null
        or o.payload ->> 'step' = v.payload ->> 'step'
      )
  );
