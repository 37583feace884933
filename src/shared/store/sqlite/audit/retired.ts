import type { RetiredExecution, Retirement } from '../../../domain/audit/retired-executions.ts';
import type { AuditStore } from '../../audit.ts';
import { groupRetirements, type RetirementRow } from '../../rows/group-retirements.ts';
import type { Connection } from '../connection/connect.ts';

export interface RetiredRecord {
  readonly execution_id: string;
  readonly tenant_id: string;
  readonly retirement_id: string;
  readonly event_hashes: Buffer;
}

type RetirementRecord = RetiredRecord & RetirementRow;

export function listRetired(
  connection: Connection,
  executionIds: readonly string[],
): readonly RetiredExecution[] {
  return connection
    .all<RetiredRecord>(
      `select execution_id, tenant_id, retirement_id, event_hashes
       from retired_executions
       where execution_id in (select value from json_each(:ids))`,
      { ids: JSON.stringify(executionIds) },
    )
    .map(decodeRetired);
}

export function listRetirements(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['retirements']>[0],
): readonly Retirement[] {
  const rows = connection.all<RetirementRecord>(
    `select r.execution_id, r.tenant_id, r.retirement_id, r.event_hashes,
       a.tenant_id as told_tenant_id, a.payload ->> 'digest' as told_digest
     from (
       select distinct n.retirement_id
       from retired_executions as n
       where n.retirement_id > :after
         and (:tenant_id is null or n.tenant_id = :tenant_id)
       order by n.retirement_id
       limit :limit
     ) as p
     join retired_executions as r on r.retirement_id = p.retirement_id
     left join audit_log as a
       on a.audit_id = p.retirement_id and a.event_type = 'executions_retired'
     order by r.retirement_id`,
    { after: after ?? '', tenant_id: tenantId, limit },
  );
  return groupRetirements(rows, decodeRetired);
}

export function decodeRetired(row: RetiredRecord): RetiredExecution {
  return {
    executionId: row.execution_id,
    tenantId: row.tenant_id,
    retirementId: row.retirement_id,
    eventHashes: row.event_hashes.toString('hex'),
  };
}
