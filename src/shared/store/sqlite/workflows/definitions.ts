import type { DefinitionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type {
  DefinitionRow,
  DefinitionStore,
  ExposedWorkflow,
  LatestId,
  StoredDefinition,
} from '../../definitions.ts';
import { appendAudit } from '../audit/append.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { findStandingPause } from './workflow-pauses.ts';

export function createDefinitionStore(connection: Connection): DefinitionStore {
  return {
    register: (params) => connection.write(() => register(connection, params)),
    find: (id) => connection.read(() => findDefinition(connection, id)),
    findLatest: (params) => connection.read(() => findLatest(connection, params)),
    latestId: (params) => connection.read(() => latestId(connection, params)),
    list: (params) => connection.read(() => listDefinitions(connection, params)),
    listExposed: (params) => connection.read(() => listExposed(connection, params)),
  };
}

const DEFINITION_COLUMNS =
  'definition_id, tenant_id, workflow_id, version, revision, ir_hash, created_at';

interface RawDefinition {
  readonly definition_id: string;
  readonly tenant_id: string;
  readonly workflow_id: string;
  readonly version: string;
  readonly revision: number;
  readonly ir_hash: string;
  readonly created_at: number;
}

interface RawStoredDefinition extends RawDefinition {
  readonly ir: string;
}

function register(
  connection: Connection,
  params: Parameters<DefinitionStore['register']>[0],
): DefinitionRow | null {
  const newest = selectNewest(connection, params);
  if (newest !== undefined && newest.ir_hash === params.irHash) return toDefinition(newest);
  if (newest === undefined && !hasRoom(connection, params)) return null;
  const row: RawDefinition = {
    definition_id: params.definitionId,
    tenant_id: params.tenantId,
    workflow_id: params.workflowId,
    version: params.version,
    revision: (newest?.revision ?? 0) + 1,
    ir_hash: params.irHash,
    created_at: connection.now(),
  };
  connection.run(
    `insert into definitions (
       ${DEFINITION_COLUMNS}, ir, actor_id, places_max, interval_us, burst
     )
     values (
       :definition_id, :tenant_id, :workflow_id, :version, :revision, :ir_hash, :created_at,
       :ir, :actor_id, :places_max, :interval_us, :burst
     )`,
    {
      ...row,
      ir: JSON.stringify(params.ir),
      actor_id: params.actorId,
      places_max: params.waitLimits?.placesMax ?? null,
      interval_us: params.waitLimits?.intervalUs ?? null,
      burst: params.waitLimits?.burst ?? null,
    },
  );
  appendAudit(connection, {
    tenantId: params.tenantId,
    executionId: null,
    eventType: 'workflow_registered',
    actorId: params.actorId,
    payload: {
      workflow_id: row.workflow_id,
      version: row.version,
      revision: row.revision,
      ir_hash: row.ir_hash,
    },
  });
  return toDefinition(row);
}

/** A new version of an existing workflow does not count against the limit. */
function hasRoom(
  connection: Connection,
  params: Parameters<DefinitionStore['register']>[0],
): boolean {
  const { tenantId, workflowId, workflowsMax = null } = params;
  if (workflowsMax === null) return true;
  const row = connection.get<{ readonly known: number; readonly workflows: number }>(
    `select count(distinct workflow_id) as workflows,
       coalesce(max(workflow_id = :workflow_id), 0) as known
     from definitions
     where tenant_id = :tenant_id`,
    { tenant_id: tenantId, workflow_id: workflowId },
  );
  return row === undefined || row.known === 1 || row.workflows < workflowsMax;
}

function findDefinition(connection: Connection, id: DefinitionId): StoredDefinition | null {
  const row = connection.get<RawStoredDefinition>(
    `select ${DEFINITION_COLUMNS}, ir
     from definitions
     where definition_id = :id
     union all
     select ${DEFINITION_COLUMNS}, ir
     from imported_definitions
     where definition_id = :id
     limit 1`,
    { id },
  );
  return row === undefined ? null : toStoredDefinition(row);
}

function findLatest(
  connection: Connection,
  params: Parameters<DefinitionStore['findLatest']>[0],
): StoredDefinition | null {
  const row = selectNewest(connection, params);
  return row === undefined ? null : toStoredDefinition(row);
}

function latestId(
  connection: Connection,
  params: Parameters<DefinitionStore['latestId']>[0],
): LatestId | null {
  const row = connection.get<{ readonly definition_id: DefinitionId }>(
    `select definition_id
     from definitions
     where tenant_id = :tenant_id
       and workflow_id = :workflow_id
       and (:version is null or version = :version)
     order by seq desc
     limit 1`,
    { tenant_id: params.tenantId, workflow_id: params.workflowId, version: params.version },
  );
  if (row === undefined) return null;
  const workflowPause = findStandingPause(connection, params);
  return { definitionId: row.definition_id, workflowPause };
}

/** Revisions of a version are registered in order, so the last registered is the newest. */
function selectNewest(
  connection: Connection,
  params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  },
): RawStoredDefinition | undefined {
  return connection.get<RawStoredDefinition>(
    `select ${DEFINITION_COLUMNS}, ir
     from definitions
     where tenant_id = :tenant_id
       and workflow_id = :workflow_id
       and (:version is null or version = :version)
     order by seq desc
     limit 1`,
    { tenant_id: params.tenantId, workflow_id: params.workflowId, version: params.version },
  );
}

function listDefinitions(
  connection: Connection,
  params: Parameters<DefinitionStore['list']>[0],
): readonly DefinitionRow[] {
  const bindings: Record<string, Bindable> = {
    tenant_id: params.tenantId,
    workflow_id: params.workflowId,
    after: params.after ?? null,
    limit: params.limit,
    offset: params.offset,
  };
  return connection
    .all<RawDefinition>(
      `select ${DEFINITION_COLUMNS}
       from definitions
       where seq in (
         select max(seq)
         from definitions
         where tenant_id = :tenant_id
           and (:workflow_id is null or workflow_id = :workflow_id)
         group by workflow_id, version
       )
         and (
           :after is null
           or seq < (select l.seq from definitions as l where l.definition_id = :after)
         )
       order by seq desc
       limit :limit offset :offset`,
      bindings,
    )
    .map(toDefinition);
}

function listExposed(
  connection: Connection,
  { tenantId, limit }: Parameters<DefinitionStore['listExposed']>[0],
): readonly ExposedWorkflow[] {
  return connection.all<ExposedWorkflow>(
    `select workflow_id as workflowId, version, ir ->> '$.name' as name,
       ir ->> '$.description' as description
     from definitions
     where seq in (
         select max(seq)
         from definitions
         where tenant_id = :tenant_id
         group by workflow_id
       )
       and json_type(ir, '$.expose.a2a') = 'true'
     order by workflow_id
     limit :limit`,
    { tenant_id: tenantId, limit },
  );
}

function toStoredDefinition(row: RawStoredDefinition): StoredDefinition {
  return { ...toDefinition(row), ir: JSON.parse(row.ir) as JsonObject };
}

function toDefinition(row: RawDefinition): DefinitionRow {
  return {
    definitionId: row.definition_id as DefinitionId,
    tenantId: row.tenant_id as TenantId,
    workflowId: row.workflow_id,
    version: row.version,
    revision: row.revision,
    irHash: row.ir_hash,
    createdAt: toIso(row.created_at),
  };
}
