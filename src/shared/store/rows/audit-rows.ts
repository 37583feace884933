import type {
  Registration,
  StoredDefinition,
  StoredExecution,
} from '../../domain/audit/stored-rows.ts';

/** Rows that the audit compares with events, as both stores read them. */

export interface DefinitionRecord {
  readonly definition_id: string;
  readonly tenant_id: string;
  readonly ir_hash: string;
  readonly ir: string;
}

export interface RegistrationRecord {
  readonly audit_id: string;
  readonly tenant_id: string;
  readonly told_hash: string | null;
  readonly definition_id: string | null;
  readonly ir_hash: string | null;
}

/** Without the id and `has_more`, which the stores keep in forms of their own. */
export interface ExecutionRecord {
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
}

export function decodeDefinition(row: DefinitionRecord): StoredDefinition {
  return {
    definitionId: row.definition_id,
    tenantId: row.tenant_id,
    irHash: row.ir_hash,
    ir: row.ir,
  };
}

export function decodeRegistration(row: RegistrationRecord): Registration {
  return {
    auditId: row.audit_id,
    tenantId: row.tenant_id,
    toldHash: row.told_hash ?? '',
    definition:
      row.definition_id === null
        ? null
        : { definitionId: row.definition_id, irHash: row.ir_hash ?? '' },
  };
}

export function decodeExecution(
  row: ExecutionRecord,
  own: Pick<StoredExecution, 'executionId' | 'hasMore'>,
): StoredExecution {
  return {
    executionId: own.executionId,
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
    hasMore: own.hasMore,
  };
}
