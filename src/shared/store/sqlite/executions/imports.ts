import type {
  ImportedExecution,
  RecordedImport,
} from '../../../domain/audit/imported-executions.ts';
import type { RetiredExecution } from '../../../domain/audit/retired-executions.ts';
import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { AuditStore } from '../../audit.ts';
import {
  AHEAD_MS_MAX,
  type Importing,
  type ImportStore,
  type ImportVerdict,
} from '../../imports.ts';
import { uuidFloor } from '../../retention.ts';
import { appendAudit, sealedUntil } from '../audit/append.ts';
import { decodeRetired, type RetiredRecord } from '../audit/retired.ts';
import { insertLabel } from '../commit/labels.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function createImportStore(connection: Connection): ImportStore {
  return {
    add: (importing) => connection.write(() => add(connection, importing)),
    find: (params) => connection.read(() => find(connection, params)),
    removal: (executionId) => connection.read(() => findRemoval(connection, executionId)),
  };
}

function add(connection: Connection, importing: Importing): ImportVerdict {
  const refusal = refuse(connection, importing);
  if (refusal !== null) return refusal;
  const { importId, tenantId, actorId, documentSha256, eventHashes, retirementId } = importing;
  const { execution, definition, events } = importing;
  const { executionId } = execution;
  const stamp = Math.max(connection.now(), sealedUntil(connection));
  addDefinition(connection, importing, stamp);
  connection.run(
    `insert into executions (
       id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
       parent_execution_id, status, last_sequence, error, error_class, error_node_id, cause_key,
       created_at, updated_at, completed_at
     )
     values (
       :id, :tenant_id, :definition_id, :workflow_id, :workflow_version, :shard, :priority,
       :parent_execution_id, :status, :last_sequence, :error, :error_class, :error_node_id,
       :cause_key, :created_at, :completed_at, :completed_at
     )`,
    {
      id: executionId,
      tenant_id: tenantId,
      definition_id: definition.definitionId,
      workflow_id: definition.workflowId,
      workflow_version: definition.version,
      shard: execution.shard,
      priority: execution.priority,
      parent_execution_id: execution.parentExecutionId,
      status: execution.status,
      last_sequence: events.length,
      error: execution.error,
      error_class: execution.failure?.errorClass ?? null,
      error_node_id: execution.failure?.nodeId ?? null,
      cause_key: execution.failure?.causeKey ?? null,
      created_at: Date.parse(execution.createdAt),
      completed_at: Date.parse(execution.completedAt),
    },
  );
  for (const { sequence, kind, node_id, payload, actor_id, created_at } of events) {
    connection.run(
      `insert into events (
         execution_id, sequence, kind, node_id, payload, actor_id, created_at
       )
       values (?, ?, ?, ?, ?, ?, ?)`,
      [executionId, sequence, kind, node_id, payload, actor_id, Date.parse(created_at)],
    );
  }
  for (const [name, value] of Object.entries(importing.execution.labels)) {
    const createdAt = Date.parse(importing.execution.createdAt);
    insertLabel(connection, { executionId, tenantId, createdAt, name, value });
  }
  if (importing.snapshot !== null) {
    connection.run('insert into snapshots (execution_id, sequence, body) values (?, ?, ?)', [
      executionId,
      events.length,
      importing.snapshot,
    ]);
  }
  connection.run(
    `insert into imported_executions (
       import_id, execution_id, tenant_id, imported_by, imported_at, document_sha256,
       retirement_id, event_hashes
     )
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      importId,
      executionId,
      tenantId,
      actorId,
      stamp,
      documentSha256,
      retirementId,
      Buffer.from(eventHashes, 'hex'),
    ],
  );
  // References are read from the events of windows, and these are in none.
  for (const hash of importing.artifacts) {
    connection.run(
      'insert into artifact_references (tenant_id, hash, holder_id) values (?, ?, ?)',
      [tenantId, hash, executionId],
    );
  }
  appendAudit(connection, {
    auditId: importId,
    tenantId,
    executionId,
    eventType: 'execution_imported',
    actorId,
    payload: importing.told,
  });
  return 'imported';
}

/** In the order of the function `import_execution` of PostgreSQL. */
function refuse(connection: Connection, importing: Importing): ImportVerdict | null {
  const { tenantId, retirementId, eventHashes, definition } = importing;
  const { executionId, parentExecutionId, completedAt } = importing.execution;
  const latest = connection.now() + AHEAD_MS_MAX;
  if (executionId > executionIdFromUuid(uuidFloor(latest)) || Date.parse(completedAt) > latest) {
    return 'ahead';
  }
  const has = (statement: string, values: readonly (string | null)[]): boolean =>
    connection.get(statement, [...values]) !== undefined;
  if (has('select 1 from executions where id = ?', [executionId])) return 'there';
  const removal = findRemoval(connection, executionId);
  const fits =
    retirementId === null
      ? removal === null &&
        !has('select 1 from retired_executions where execution_id = ?', [executionId]) &&
        !has('select 1 from imported_executions where execution_id = ?', [executionId])
      : removal?.retirementId === retirementId &&
        removal.tenantId === tenantId &&
        removal.eventHashes === eventHashes;
  if (!fits) return 'left';
  if (
    has('select 1 from executions where id = ? and tenant_id <> ?', [parentExecutionId, tenantId])
  ) {
    return 'parent';
  }
  const known = connection.get<{ readonly tenant_id: string; readonly ir_hash: string }>(
    `select tenant_id, ir_hash
     from definitions
     where definition_id = :id
     union all
     select tenant_id, ir_hash
     from imported_definitions
     where definition_id = :id`,
    { id: definition.definitionId },
  );
  if (known === undefined) return null;
  const isSame = known.tenant_id === tenantId && known.ir_hash === definition.irHash;
  return isSame ? null : 'definition';
}

function addDefinition(
  connection: Connection,
  { tenantId, actorId, definition }: Importing,
  stamp: number,
): void {
  connection.run(
    `insert into imported_definitions (
       definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id, created_at
     )
     select :id, :tenant_id, :workflow_id, :version, :revision, :ir_hash, :ir, :actor_id, :stamp
     where not exists (select 1 from definitions where definition_id = :id)
     on conflict (definition_id) do nothing`,
    {
      id: definition.definitionId,
      tenant_id: tenantId,
      workflow_id: definition.workflowId,
      version: definition.version,
      revision: definition.revision,
      ir_hash: definition.irHash,
      ir: JSON.stringify(definition.ir),
      actor_id: actorId,
      stamp,
    },
  );
}

const NOT_TAKEN_BACK = `not exists (
  select 1
  from imported_executions as b
  where b.execution_id = r.execution_id
    and b.retirement_id = r.retirement_id
)`;

function findRemoval(connection: Connection, executionId: ExecutionId): RetiredExecution | null {
  const row = connection.get<RetiredRecord>(
    `select r.execution_id, r.tenant_id, r.retirement_id, r.event_hashes
     from retired_executions as r
     where r.execution_id = ?
       and ${NOT_TAKEN_BACK}`,
    [executionId],
  );
  return row === undefined ? null : decodeRetired(row);
}

function find(
  connection: Connection,
  { tenantId, executionIds }: Parameters<ImportStore['find']>[0],
): readonly ImportedExecution[] {
  const rows = connection.all<{
    readonly execution_id: ExecutionId;
    readonly imported_by: string;
    readonly imported_at: number;
    readonly document_sha256: string;
  }>(
    `select i.execution_id, i.imported_by, i.imported_at, i.document_sha256
     from imported_executions as i
     where i.execution_id in (select value from json_each(:ids))
       and i.tenant_id = :tenant_id
       and i.import_id = (
         select max(n.import_id)
         from imported_executions as n
         where n.execution_id = i.execution_id
       )`,
    { ids: JSON.stringify(executionIds), tenant_id: tenantId },
  );
  return rows.map((row) => ({
    executionId: row.execution_id,
    importedBy: row.imported_by,
    importedAt: toIso(row.imported_at),
    documentSha256: row.document_sha256,
  }));
}

interface ImportRecord {
  readonly import_id: string;
  readonly execution_id: ExecutionId;
  readonly tenant_id: string;
  readonly document_sha256: string;
  readonly retirement_id: string | null;
  readonly event_hashes: Buffer;
  readonly told_tenant_id: string | null;
  readonly told_digest: string | null;
  readonly is_there: 0 | 1;
}

/** For the audit log, which proves them. */
export function listImports(
  connection: Connection,
  { tenantId, after, limit }: Parameters<AuditStore['imports']>[0],
): readonly RecordedImport[] {
  const rows = connection.all<ImportRecord>(
    `select i.import_id, i.execution_id, i.tenant_id, i.document_sha256, i.retirement_id,
       i.event_hashes, a.tenant_id as told_tenant_id, a.payload ->> 'digest' as told_digest,
       not exists (
         select 1
         from retired_executions as r
         where r.execution_id = i.execution_id
           and ${NOT_TAKEN_BACK}
       ) as is_there
     from imported_executions as i
     left join audit_log as a
       on a.audit_id = i.import_id and a.event_type = 'execution_imported'
     where i.import_id > :after
       and (:tenant_id is null or i.tenant_id = :tenant_id)
     order by i.import_id
     limit :limit`,
    { after: after ?? '', tenant_id: tenantId, limit },
  );
  return rows.map((row) => ({
    importId: row.import_id,
    executionId: row.execution_id,
    tenantId: row.tenant_id,
    documentSha256: row.document_sha256,
    retirementId: row.retirement_id,
    eventHashes: row.event_hashes.toString('hex'),
    told:
      row.told_tenant_id === null
        ? null
        : { tenantId: row.told_tenant_id, digest: row.told_digest ?? '' },
    isThere: row.is_there === 1,
  }));
}
