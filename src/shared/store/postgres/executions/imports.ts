import { setImmediate } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';

import type {
  ImportedExecution,
  RecordedImport,
} from '../../../domain/audit/imported-executions.ts';
import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { AuditStore } from '../../audit.ts';
import {
  AHEAD_MS_MAX,
  type Importing,
  type ImportStore,
  type ImportVerdict,
} from '../../imports.ts';
import { decodeRetired, RetiredRecord } from '../audit/retired.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const VerdictRecord = z.object({
  verdict: z.enum(['imported', 'there', 'left', 'definition', 'parent', 'ahead']),
});

const ImportRecord = z.object({
  import_id: z.string(),
  execution_id: z.string(),
  tenant_id: z.string(),
  document_sha256: z.string(),
  retirement_id: z.string().nullable(),
  event_hashes: z.string(),
  told_tenant_id: z.string().nullable(),
  told_digest: z.string().nullable(),
  is_there: z.boolean(),
});

/** `readers` is for what one tenant asks, under row-level security. */
export function createImportStore(management: Management, readers: PostgresPool): ImportStore {
  return {
    add: (importing) => add(management, importing),
    find: (params) => find(readers, params),

    async removal(executionId) {
      const rows = await management.any(sql.type(RetiredRecord)`
        select r.execution_id, r.tenant_id, r.retirement_id,
          encode(r.event_hashes, 'hex') as event_hashes
        from open_retirement(${toUuid(executionId)}::uuid) r
        where r.execution_id is not null`);
      return rows[0] === undefined ? null : decodeRetired(rows[0]);
    },
  };
}

async function add(management: Management, importing: Importing): Promise<ImportVerdict> {
  const { importId, tenantId, actorId, told, documentSha256, eventHashes, retirementId } =
    importing;
  const { execution, definition } = importing;
  const arriving = {
    id: toUuid(execution.executionId),
    definition_id: definition.definitionId,
    workflow_id: definition.workflowId,
    workflow_version: definition.version,
    shard: execution.shard,
    priority: execution.priority,
    parent_id: execution.parentExecutionId && toUuid(execution.parentExecutionId),
    status: execution.status,
    error: execution.error,
    error_class: execution.failure?.errorClass ?? null,
    error_node_id: execution.failure?.nodeId ?? null,
    cause_key: execution.failure?.causeKey ?? null,
    created_at: execution.createdAt,
    completed_at: execution.completedAt,
  };
  const registered = {
    definition_id: definition.definitionId,
    workflow_id: definition.workflowId,
    version: definition.version,
    revision: definition.revision,
    ir_hash: definition.irHash,
    ir: definition.ir,
  };
  const history = await encodeHistory(importing);
  const [row] = await management.any(
    sql.type(VerdictRecord)`
    with judged as materialized (
    select import_execution(
      ${importId}::uuid, ${tenantId}, ${actorId}, ${JSON.stringify(told)}::json, ${documentSha256},
      ${eventHashes}, ${retirementId}::uuid, ${JSON.stringify(arriving)}::json,
      ${history}::json, ${JSON.stringify(registered)}::json, ${importing.snapshot},
      ${sql.array([...importing.artifacts], 'text')}, ${AHEAD_MS_MAX}
    ) as verdict
    ),
    labelled as (
      insert into execution_labels (execution_id, name, value, tenant_id, created_at)
      select ${arriving.id}::uuid, l.key, l.value, ${tenantId}, ${execution.createdAt}::timestamptz
      from judged j
      cross join json_each_text(${JSON.stringify(execution.labels)}::json) l
      where j.verdict = 'imported'
    )
    select verdict from judged`,
    { writes: true },
  );
  if (row === undefined) throw new Error('the import was not judged');
  return row.verdict;
}

const ENCODED_AT_A_TIME = 1_000;

/**
 * Payloads stand in it as they are hashed, character for character. The process serves others in
 * between.
 */
async function encodeHistory({ events }: Importing): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < events.length; from += ENCODED_AT_A_TIME) {
    const some = events.slice(from, from + ENCODED_AT_A_TIME);
    for (const { payload, ...event } of some) {
      parts.push(`${JSON.stringify(event).slice(0, -1)},"payload":${payload}}`);
    }
    await setImmediate();
  }
  return `[${parts.join(',')}]`;
}

const FIND: Statement = {
  name: 'find-imported-executions',
  writes: false,
  text: `
    select distinct on (i.execution_id) i.execution_id, i.imported_by, i.imported_at,
      i.document_sha256
    from imported_executions i
    where i.execution_id = any($1::uuid[])
      and i.tenant_id = $2
    order by i.execution_id, i.import_id desc`,
};

interface FoundRecord {
  readonly execution_id: string;
  readonly imported_by: string;
  readonly imported_at: string;
  readonly document_sha256: string;
}

async function find(
  readers: PostgresPool,
  { tenantId, executionIds }: Parameters<ImportStore['find']>[0],
): Promise<readonly ImportedExecution[]> {
  const values = [executionIds.map(toUuid), tenantId];
  const rows = await readers.run<FoundRecord>(FIND, values, tenantId);
  return rows.map((row) => ({
    executionId: executionIdFromUuid(row.execution_id),
    importedBy: row.imported_by,
    importedAt: row.imported_at,
    documentSha256: row.document_sha256,
  }));
}

/** For the audit log, which proves them. */
export async function listImports(
  management: Management,
  { tenantId, after, limit }: Parameters<AuditStore['imports']>[0],
): Promise<readonly RecordedImport[]> {
  const rows = await management.any(sql.type(ImportRecord)`
    select i.import_id, i.execution_id, i.tenant_id, i.document_sha256, i.retirement_id,
      encode(i.event_hashes, 'hex') as event_hashes, a.tenant_id as told_tenant_id,
      a.payload ->> 'digest' as told_digest,
      (open_retirement(i.execution_id)).retirement_id is null as is_there
    from imported_executions i
    left join audit_log a on a.audit_id = i.import_id and a.event_type = 'execution_imported'
    where (${after}::uuid is null or i.import_id > ${after}::uuid)
      and (${tenantId}::text is null or i.tenant_id = ${tenantId})
    order by i.import_id
    limit ${limit}`);
  return rows.map((row) => ({
    importId: row.import_id,
    executionId: executionIdFromUuid(row.execution_id),
    tenantId: row.tenant_id as TenantId,
    documentSha256: row.document_sha256,
    retirementId: row.retirement_id,
    eventHashes: row.event_hashes,
    told:
      row.told_tenant_id === null
        ? null
        : { tenantId: row.told_tenant_id, digest: row.told_digest ?? '' },
    isThere: row.is_there,
  }));
}
