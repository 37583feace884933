import type { CommitPlan } from '../../commit.ts';
import { labelsOf } from '../../rows/label-rows.ts';
import type { Connection } from '../connection/connect.ts';

/** The labels of the executions that a plan makes. */
export function writeLabels(
  connection: Connection,
  { plan, createdAt }: { readonly plan: CommitPlan; readonly createdAt: number },
): void {
  for (const { startedId, name, value } of labelsOf(plan)) {
    connection.run(
      `insert into execution_labels (execution_id, name, value, tenant_id, created_at)
       values (?, ?, ?, ?, ?)`,
      [startedId ?? plan.executionId, name, value, plan.tenantId, createdAt],
    );
  }
}
