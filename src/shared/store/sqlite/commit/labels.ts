import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { CommitPlan } from '../../commit.ts';
import { labelsOf, setLabelsOf } from '../../rows/label-rows.ts';
import type { Connection } from '../connection/connect.ts';

/** The labels of the executions that a plan makes, and those that it sets. */
export function writeLabels(
  connection: Connection,
  { plan, createdAt }: { readonly plan: CommitPlan; readonly createdAt: number },
): void {
  for (const { startedId, name, value } of labelsOf(plan)) {
    const executionId = startedId ?? plan.executionId;
    insertLabel(connection, { executionId, tenantId: plan.tenantId, createdAt, name, value });
  }
  for (const { name, value } of setLabelsOf(plan)) {
    connection.run(
      `insert into execution_labels (execution_id, name, value, tenant_id, created_at)
       select id, ?, ?, tenant_id, created_at
       from executions
       where id = ?
       on conflict (execution_id, name) do update
       set value = excluded.value`,
      [name, value, plan.executionId],
    );
  }
}

/** `createdAt`: that of the execution. */
export function insertLabel(
  connection: Connection,
  label: {
    readonly executionId: ExecutionId;
    readonly tenantId: TenantId;
    readonly createdAt: number;
    readonly name: string;
    readonly value: string;
  },
): void {
  const { executionId, tenantId, createdAt, name, value } = label;
  connection.run(
    `insert into execution_labels (execution_id, name, value, tenant_id, created_at)
     values (?, ?, ?, ?, ?)`,
    [executionId, name, value, tenantId, createdAt],
  );
}
