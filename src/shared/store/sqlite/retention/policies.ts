import type { TenantId } from '../../../domain/ids.ts';
import type { RetentionPolicy } from '../../../domain/retention/retention-policy.ts';
import { toldOf, type RetentionStore } from '../../retention.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';

interface PolicyRecord {
  readonly tenant_id: TenantId;
  readonly workflow_id: string;
  readonly completed_days: number | null;
  readonly failed_days: number | null;
  readonly cancelled_days: number | null;
}

export function listPolicies(
  connection: Connection,
  { tenantId, after = null, limit, offset }: Parameters<RetentionStore['listPolicies']>[0],
): readonly RetentionPolicy[] {
  return connection
    .all<PolicyRecord>(
      `select tenant_id, workflow_id, completed_days, failed_days, cancelled_days
       from retention_policies
       where (:tenant_id is null or tenant_id = :tenant_id)
         and (:after is null or workflow_id > :after)
       order by tenant_id, workflow_id
       limit :limit offset :offset`,
      { tenant_id: tenantId, after, limit, offset },
    )
    .map((row) => ({
      tenantId: row.tenant_id,
      workflowId: row.workflow_id === '' ? null : row.workflow_id,
      days: {
        completed: row.completed_days,
        failed: row.failed_days,
        cancelled: row.cancelled_days,
      },
    }));
}

export function setPolicy(
  connection: Connection,
  policy: Parameters<RetentionStore['setPolicy']>[0],
): void {
  const { tenantId, workflowId, days, actorId } = policy;
  connection.run(
    `insert into retention_policies (
       tenant_id, workflow_id, completed_days, failed_days, cancelled_days, updated_at
     )
     values (:tenant_id, :workflow_id, :completed, :failed, :cancelled, :now)
     on conflict (tenant_id, workflow_id) do update
     set completed_days = excluded.completed_days,
       failed_days = excluded.failed_days,
       cancelled_days = excluded.cancelled_days,
       updated_at = excluded.updated_at`,
    { tenant_id: tenantId, workflow_id: workflowId ?? '', ...days, now: connection.now() },
  );
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'retention_policy_set',
    actorId,
    payload: toldOf(policy),
  });
}

export function removePolicy(
  connection: Connection,
  { tenantId, workflowId, actorId }: Parameters<RetentionStore['removePolicy']>[0],
): boolean {
  const removed = connection.run(
    'delete from retention_policies where tenant_id = :tenant_id and workflow_id = :workflow_id',
    { tenant_id: tenantId, workflow_id: workflowId ?? '' },
  );
  if (removed === 0) return false;
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'retention_policy_removed',
    actorId,
    payload: { workflow_id: workflowId },
  });
  return true;
}
