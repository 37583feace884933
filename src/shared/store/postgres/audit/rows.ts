import { sql } from 'slonik';
import { z } from 'zod';

import type {
  Registration,
  StoredDefinition,
  StoredExecution,
} from '../../../domain/audit/stored-rows.ts';
import { executionIdFromUuid, parseExecutionId } from '../../../domain/ids.ts';
import type { AuditStore } from '../../audit.ts';
import { decodeDefinition, decodeExecution, decodeRegistration } from '../../rows/audit-rows.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const DefinitionRecord = z.object({
  definition_id: z.string(),
  tenant_id: z.string(),
  ir_hash: z.string(),
  ir: z.string(),
});

const RegistrationRecord = z.object({
  audit_id: z.string(),
  tenant_id: z.string(),
  told_hash: z.string().nullable(),
  definition_id: z.string().nullable(),
  ir_hash: z.string().nullable(),
});

const ExecutionRecord = z.object({
  id: z.string(),
  tenant_id: z.string(),
  status: z.string(),
  workflow_id: z.string(),
  workflow_version: z.string(),
  definition_id: z.string(),
  first_kind: z.string().nullable(),
  started_workflow_id: z.string().nullable(),
  started_version: z.string().nullable(),
  started_definition_id: z.string().nullable(),
  last_kind: z.string().nullable(),
  has_more: z.boolean(),
});

export async function listStoredDefinitions(
  management: Management,
  { tenantId, after, limit }: Parameters<AuditStore['storedDefinitions']>[0],
): Promise<readonly StoredDefinition[]> {
  const rows = await management.any(sql.type(DefinitionRecord)`
    select d.definition_id, d.tenant_id, d.ir_hash, d.ir::text as ir
    from (
      (
        select n.definition_id, n.tenant_id, n.ir_hash, n.ir
        from definitions n
        where (${after}::uuid is null or n.definition_id > ${after}::uuid)
          and (${tenantId}::text is null or n.tenant_id = ${tenantId})
        order by n.definition_id
        limit ${limit}
      )
      union all
      (
        select n.definition_id, n.tenant_id, n.ir_hash, n.ir
        from imported_definitions n
        where (${after}::uuid is null or n.definition_id > ${after}::uuid)
          and (${tenantId}::text is null or n.tenant_id = ${tenantId})
        order by n.definition_id
        limit ${limit}
      )
    ) d
    order by d.definition_id
    limit ${limit}`);
  return rows.map(decodeDefinition);
}

export async function listRegistrations(
  management: Management,
  { tenantId, after, limit }: Parameters<AuditStore['registrations']>[0],
): Promise<readonly Registration[]> {
  const rows = await management.any(sql.type(RegistrationRecord)`
    select a.audit_id, a.tenant_id, a.payload ->> 'ir_hash' as told_hash, d.definition_id, d.ir_hash
    from (
      select n.audit_id, n.tenant_id, n.payload
      from audit_log n
      where n.event_type = 'workflow_registered'
        and (${after}::uuid is null or n.audit_id > ${after}::uuid)
        and (${tenantId}::text is null or n.tenant_id = ${tenantId})
      order by n.audit_id
      limit ${limit}
    ) a
    left join definitions d
      on d.tenant_id = a.tenant_id
      and d.workflow_id = a.payload ->> 'workflow_id'
      and d.version = a.payload ->> 'version'
      and d.revision = (a.payload ->> 'revision')::int4
    order by a.audit_id`);
  return rows.map(decodeRegistration);
}

export async function listStoredExecutions(
  management: Management,
  { tenantId, after, limit }: Parameters<AuditStore['storedExecutions']>[0],
): Promise<readonly StoredExecution[]> {
  const afterExecution = after === null ? null : parseExecutionId(after);
  const afterId = afterExecution === null ? null : toUuid(afterExecution);
  const rows = await management.any(sql.type(ExecutionRecord)`
    select e.id, e.tenant_id, e.status, e.workflow_id, e.workflow_version,
      e.definition_id::text as definition_id, f.kind as first_kind,
      f.payload ->> 'workflow_id' as started_workflow_id,
      f.payload ->> 'workflow_version' as started_version,
      f.payload ->> 'definition_id' as started_definition_id, l.kind as last_kind,
      exists (
        select
        from events x
        where x.execution_id = e.id
          and x.sequence > e.last_sequence
      ) as has_more
    from (
      select n.id, n.tenant_id, n.status, n.workflow_id, n.workflow_version, n.definition_id,
        n.last_sequence
      from executions n
      where (${afterId}::uuid is null or n.id > ${afterId}::uuid)
        and (${tenantId}::text is null or n.tenant_id = ${tenantId})
      order by n.id
      limit ${limit}
    ) e
    left join events f on f.execution_id = e.id and f.sequence = 1
    left join events l on l.execution_id = e.id and l.sequence = e.last_sequence
    order by e.id`);
  return rows.map((row) =>
    decodeExecution(row, { executionId: executionIdFromUuid(row.id), hasMore: row.has_more }),
  );
}
