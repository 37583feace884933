import { sql } from 'slonik';
import { z } from 'zod';

import type { TenantId } from '../../../domain/ids.ts';
import type { RetentionPolicy } from '../../../domain/retention/retention-policy.ts';
import { toldOf, type RetentionStore } from '../../retention.ts';
import { appendAuditEntry } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const PolicyRecord = z.object({
  tenant_id: z.string(),
  workflow_id: z.string(),
  completed_days: z.int().nullable(),
  failed_days: z.int().nullable(),
  cancelled_days: z.int().nullable(),
});

const ChangedRecord = z.object({ changed: z.boolean() });

export async function listPolicies(
  management: Management,
  { tenantId, after = null, limit, offset }: Parameters<RetentionStore['listPolicies']>[0],
): Promise<readonly RetentionPolicy[]> {
  const rows = await management.any(sql.type(PolicyRecord)`
    select p.tenant_id, p.workflow_id, p.completed_days, p.failed_days, p.cancelled_days
    from retention_policies p
    where (${tenantId}::text is null or p.tenant_id = ${tenantId})
      and (${after}::text is null or p.workflow_id > ${after})
    order by p.tenant_id, p.workflow_id
    limit ${limit}
    offset ${offset}`);
  return rows.map((row) => ({
    tenantId: row.tenant_id as TenantId,
    workflowId: row.workflow_id === '' ? null : row.workflow_id,
    days: { completed: row.completed_days, failed: row.failed_days, cancelled: row.cancelled_days },
  }));
}

export async function setPolicy(
  management: Management,
  policy: Parameters<RetentionStore['setPolicy']>[0],
): Promise<void> {
  const { tenantId, workflowId, days, actorId } = policy;
  const { completed, failed, cancelled } = days;
  await management.any(
    sql.type(ChangedRecord)`
    with changed as (
      insert into retention_policies as p (
        tenant_id, workflow_id, completed_days, failed_days, cancelled_days, updated_at
      )
      values (
        ${tenantId}, ${workflowId ?? ''}, ${completed}, ${failed}, ${cancelled},
        date_trunc('milliseconds', clock_timestamp())
      )
      on conflict (tenant_id, workflow_id) do update
      set completed_days = excluded.completed_days,
        failed_days = excluded.failed_days,
        cancelled_days = excluded.cancelled_days,
        updated_at = excluded.updated_at
      returning p.tenant_id
    ),
    audited as (${appendAuditEntry(
      {
        tenantId,
        executionId: null,
        eventType: 'retention_policy_set',
        actorId,
        payload: toldOf(policy),
      },
      sql.fragment`changed`,
    )})
    select true as changed from changed`,
    { writes: true },
  );
}

export async function removePolicy(
  management: Management,
  { tenantId, workflowId, actorId }: Parameters<RetentionStore['removePolicy']>[0],
): Promise<boolean> {
  const rows = await management.any(
    sql.type(ChangedRecord)`
    with changed as (
      delete from retention_policies p
      where p.tenant_id = ${tenantId}
        and p.workflow_id = ${workflowId ?? ''}
      returning p.tenant_id
    ),
    audited as (${appendAuditEntry(
      {
        tenantId,
        executionId: null,
        eventType: 'retention_policy_removed',
        actorId,
        payload: { workflow_id: workflowId },
      },
      sql.fragment`changed`,
    )})
    select true as changed from changed`,
    { writes: true },
  );
  return rows.length > 0;
}
