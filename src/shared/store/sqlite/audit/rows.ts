import type {
  Registration,
  StoredDefinition,
  StoredExecution,
} from '../../../domain/audit/stored-rows.ts';
import type { AuditStore } from '../../audit.ts';
import {
  decodeDefinition,
  decodeExecution,
  decodeRegistration,
  type DefinitionRecord,
  type ExecutionRecord,
  type RegistrationRecord,
} from '../../rows/audit-rows.ts';
import type { Connection } from '../connection/connect.ts';

interface ExecutionRow extends ExecutionRecord {
  readonly id: string;
  readonly has_more: 0 | 1;
}

export function listStoredDefinitions(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['storedDefinitions']>[0],
): readonly StoredDefinition[] {
  const from = (table: string) =>
    `select * from (
       select n.definition_id, n.tenant_id, n.ir_hash, n.ir
       from ${table} as n
       where n.definition_id > :after
         and (:tenant_id is null or n.tenant_id = :tenant_id)
       order by n.definition_id
       limit :limit
     )`;
  const rows = connection.all<DefinitionRecord>(
    `${from('definitions')}
     union all
     ${from('imported_definitions')}
     order by 1
     limit :limit`,
    { after: after ?? '', tenant_id: tenantId, limit },
  );
  return rows.map(decodeDefinition);
}

export function listRegistrations(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['registrations']>[0],
): readonly Registration[] {
  const rows = connection.all<RegistrationRecord>(
    `select a.audit_id, a.tenant_id, a.payload ->> 'ir_hash' as told_hash, d.definition_id,
       d.ir_hash
     from (
       select n.audit_id, n.tenant_id, n.payload
       from audit_log as n
       where n.event_type = 'workflow_registered'
         and n.audit_id > :after
         and (:tenant_id is null or n.tenant_id = :tenant_id)
       order by n.audit_id
       limit :limit
     ) as a
     left join definitions as d
       on d.tenant_id = a.tenant_id
       and d.workflow_id = a.payload ->> 'workflow_id'
       and d.version = a.payload ->> 'version'
       and d.revision = a.payload ->> 'revision'
     order by a.audit_id`,
    { after: after ?? '', tenant_id: tenantId, limit },
  );
  return rows.map(decodeRegistration);
}

export function listStoredExecutions(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['storedExecutions']>[0],
): readonly StoredExecution[] {
  const rows = connection.all<ExecutionRow>(
    `select e.id, e.tenant_id, e.status, e.workflow_id, e.workflow_version, e.definition_id,
       f.kind as first_kind, f.payload ->> 'workflow_id' as started_workflow_id,
       f.payload ->> 'workflow_version' as started_version,
       f.payload ->> 'definition_id' as started_definition_id, l.kind as last_kind,
       exists (
         select 1
         from events as x
         where x.execution_id = e.id
           and x.sequence > e.last_sequence
       ) as has_more
     from (
       select n.id, n.tenant_id, n.status, n.workflow_id, n.workflow_version, n.definition_id,
         n.last_sequence
       from executions as n
       where n.id > :after
         and (:tenant_id is null or n.tenant_id = :tenant_id)
       order by n.id
       limit :limit
     ) as e
     left join events as f on f.execution_id = e.id and f.sequence = 1
     left join events as l on l.execution_id = e.id and l.sequence = e.last_sequence
     order by e.id`,
    { after: after ?? '', tenant_id: tenantId, limit },
  );
  return rows.map((row) =>
    decodeExecution(row, { executionId: row.id, hasMore: row.has_more === 1 }),
  );
}
