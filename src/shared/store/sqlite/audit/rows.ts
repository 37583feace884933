import type {
  Registration,
  StoredDefinition,
  StoredExecution,
} from '../../../domain/audit/stored-rows.ts';
import type { AuditStore } from '../../audit.ts';
import type { Connection } from '../connection/connect.ts';

interface DefinitionRecord {
  readonly definition_id: string;
  readonly tenant_id: string;
  readonly ir_hash: string;
  readonly ir: string;
}

interface RegistrationRecord {
  readonly audit_id: string;
  readonly tenant_id: string;
  readonly told_hash: string | null;
  readonly definition_id: string | null;
  readonly ir_hash: string | null;
}

interface ExecutionRecord {
  readonly id: string;
  readonly tenant_id: string;
  readonly status: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly definition_id: string;
  readonly first_kind: string | null;
  readonly started_workflow_id: string | null;
  readonly started_version: string | null;
  readonly started_definition_id: string | null;
  readonly last_kind: string | null;
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
  return rows.map((row) => ({
    definitionId: row.definition_id,
    tenantId: row.tenant_id,
    irHash: row.ir_hash,
    ir: row.ir,
  }));
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
  return rows.map((row) => ({
    auditId: row.audit_id,
    tenantId: row.tenant_id,
    toldHash: row.told_hash ?? '',
    definition:
      row.definition_id === null
        ? null
        : { definitionId: row.definition_id, irHash: row.ir_hash ?? '' },
  }));
}

export function listStoredExecutions(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['storedExecutions']>[0],
): readonly StoredExecution[] {
  const rows = connection.all<ExecutionRecord>(
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
  return rows.map((row) => ({
    executionId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    workflow: {
      workflowId: row.workflow_id,
      version: row.workflow_version,
      definitionId: row.definition_id,
    },
    started:
      row.first_kind === 'WorkflowStarted'
        ? {
            workflowId: row.started_workflow_id,
            version: row.started_version,
            definitionId: row.started_definition_id,
          }
        : null,
    lastKind: row.last_kind,
    hasMore: row.has_more === 1,
  }));
}
