import type { CommitPlan } from '../../commit.ts';
import { approvalChangesOf, type ApprovalChange } from '../../rows/approval-changes.ts';
import type { Connection } from '../connection/connect.ts';

/** Keeps the list of approvals up to date with the events of an accepted plan. */
export function writeApprovals(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly after: number; readonly createdAt: number },
): void {
  const { plan, after, createdAt } = params;
  for (const change of approvalChangesOf(plan)) {
    const sequence = after + change.eventIndex + 1;
    if (change.is === 'decide') decide(connection, { plan, change, sequence, createdAt });
    else close(connection, plan, change);
    if (change.is === 'ask') ask(connection, { plan, change, sequence, createdAt });
  }
}

interface Written {
  readonly plan: CommitPlan;
  readonly change: ApprovalChange;
  readonly sequence: number;
  readonly createdAt: number;
}

function decide(connection: Connection, { plan, change, sequence, createdAt }: Written): void {
  connection.run(
    `update approvals
     set decided_sequence = ?,
         decided_at = ?
     where execution_id = ?
       and node_id = ?
       and visit = ?
       and step is ?
       and decided_at is null`,
    [sequence, createdAt, plan.executionId, change.nodeId, change.visit, change.step],
  );
}

function close(connection: Connection, plan: CommitPlan, change: ApprovalChange): void {
  const { is, nodeId, visit, step } = change;
  connection.run(
    `delete from approvals
     where execution_id = :execution_id
       and decided_at is null
       and (
         :node_id is null
         or (
           node_id = :node_id
           and visit = :visit
           and (step is :step or (:step is null and :all_steps = 1))
         )
       )`,
    {
      execution_id: plan.executionId,
      node_id: nodeId,
      visit,
      step,
      all_steps: is === 'close' ? 1 : 0,
    },
  );
}

function ask(connection: Connection, { plan, change, sequence, createdAt }: Written): void {
  connection.run(
    `insert into approvals (
       execution_id, sequence, tenant_id, node_id, visit, step, requested_at
     )
     values (?, ?, ?, ?, ?, ?, ?)`,
    [
      plan.executionId,
      sequence,
      plan.tenantId,
      change.nodeId,
      change.visit,
      change.step,
      createdAt,
    ],
  );
}
