import { sql } from 'slonik';
import { z } from 'zod';

import type { RetiredExecution, Retirement } from '../../../domain/audit/retired-executions.ts';
import { executionIdFromUuid, parseExecutionId } from '../../../domain/ids.ts';
import type { AuditStore } from '../../audit.ts';
import { groupRetirements } from '../../rows/group-retirements.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

export const RetiredRecord = z.object({
  execution_id: z.string(),
  tenant_id: z.string(),
  retirement_id: z.string(),
  event_hashes: z.string(),
});

const RetirementRecord = RetiredRecord.extend({
  told_tenant_id: z.string().nullable(),
  told_digest: z.string().nullable(),
});

export async function listRetired(
  management: Management,
  executionIds: readonly string[],
): Promise<readonly RetiredExecution[]> {
  const uuids = executionIds
    .map(parseExecutionId)
    .filter((id) => id !== null)
    .map(toUuid);
  const rows = await management.any(sql.type(RetiredRecord)`
    select r.execution_id, r.tenant_id, r.retirement_id,
      encode(r.event_hashes, 'hex') as event_hashes
    from retired_executions r
    where r.execution_id = any(${sql.array(uuids, 'uuid')})`);
  return rows.map(decodeRetired);
}

export async function listRetirements(
  management: Management,
  { tenantId, after, limit }: Parameters<AuditStore['retirements']>[0],
): Promise<readonly Retirement[]> {
  const rows = await management.any(sql.type(RetirementRecord)`
    select r.execution_id, r.tenant_id, r.retirement_id,
      encode(r.event_hashes, 'hex') as event_hashes,
      a.tenant_id as told_tenant_id, a.payload ->> 'digest' as told_digest
    from (
      select distinct n.retirement_id
      from retired_executions n
      where (${after}::uuid is null or n.retirement_id > ${after}::uuid)
        and (${tenantId}::text is null or n.tenant_id = ${tenantId})
      order by n.retirement_id
      limit ${limit}
    ) p
    join retired_executions r on r.retirement_id = p.retirement_id
    left join audit_log a
      on a.audit_id = p.retirement_id and a.event_type = 'executions_retired'
    order by r.retirement_id`);
  return groupRetirements(rows, decodeRetired);
}

export function decodeRetired(row: z.infer<typeof RetiredRecord>): RetiredExecution {
  return {
    executionId: executionIdFromUuid(row.execution_id),
    tenantId: row.tenant_id,
    retirementId: row.retirement_id,
    eventHashes: row.event_hashes,
  };
}
