import { sql } from 'slonik';
import { z } from 'zod';

import type { DefinitionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type {
  DefinitionRow,
  DefinitionStore,
  LatestId,
  StoredDefinition,
} from '../../definitions.ts';
import { appendAuditOf } from '../audit/append.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { gatherReads } from '../connection/gather-reads.ts';
import type { Management } from '../connection/management.ts';
import {
  joinStandingPause,
  STANDING_PAUSE_COLUMNS,
  standingPauseOf,
  type StandingPauseColumns,
} from '../executions/standing-pause.ts';

const TRIES_MAX = 50;

const DefinitionRecord = z.object({
  definition_id: z.string(),
  tenant_id: z.string(),
  workflow_id: z.string(),
  version: z.string(),
  revision: z.int(),
  ir_hash: z.string(),
  created_at: z.string(),
});

const StoredRecord = DefinitionRecord.extend({ ir: z.string() });

const ExposedRecord = z.object({
  workflow_id: z.string(),
  version: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
});

const RoomRecord = z.object({ there_is: z.boolean() });

const COLUMNS = sql.fragment`
  d.definition_id, d.tenant_id, d.workflow_id, d.version, d.revision, d.ir_hash, d.created_at`;

export function createDefinitionStore(management: Management, pool: PostgresPool): DefinitionStore {
  return {
    latestId: gatherReads((asked: readonly LatestOf[]) => findLatestIds(pool, asked)),

    register: (params) => register(management, params),

    async find(id) {
      const [row] = await management.any(sql.type(StoredRecord)`
        select ${COLUMNS}, d.ir
        from definitions d
        where d.definition_id = ${id}
        union all
        select ${COLUMNS}, d.ir
        from imported_definitions d
        where d.definition_id = ${id}
        limit 1`);
      return row === undefined ? null : decodeStored(row);
    },

    async findLatest({ tenantId, workflowId, version }) {
      const [row] = await management.any(
        sql.type(StoredRecord)`
          select ${COLUMNS}, d.ir
          from definitions d
          where d.tenant_id = ${tenantId}
            and d.workflow_id = ${workflowId}
            and (${version}::text is null or d.version = ${version})
          order by d.seq desc
          limit 1`,
        { tenant: tenantId },
      );
      return row === undefined ? null : decodeStored(row);
    },

    async list({ tenantId, workflowId, after = null, limit, offset }) {
      const rows = await management.any(
        sql.type(DefinitionRecord)`
        select ${COLUMNS}
        from definitions d
        where d.seq in (
            select max(n.seq)
            from definitions n
            where n.tenant_id = ${tenantId}
              and (${workflowId}::text is null or n.workflow_id = ${workflowId})
            group by n.workflow_id, n.version
          )
          and (
            ${after}::uuid is null
            or d.seq < (select l.seq from definitions l where l.definition_id = ${after}::uuid)
          )
        order by d.seq desc
        limit ${limit}
        offset ${offset}`,
        { tenant: tenantId },
      );
      return rows.map(decodeRow);
    },

    async listExposed({ tenantId, limit }) {
      const rows = await management.any(
        sql.type(ExposedRecord)`
        select d.workflow_id, d.version, d.ir ->> 'name' as name,
          d.ir ->> 'description' as description
        from definitions d
        where d.seq in (
            select max(n.seq)
            from definitions n
            where n.tenant_id = ${tenantId}
            group by n.workflow_id
          )
          and d.ir #>> '{expose,a2a}' = 'true'
        order by d.workflow_id collate "C"
        limit ${limit}`,
        { tenant: tenantId },
      );
      return rows.map(({ workflow_id: workflowId, ...rest }) => ({ workflowId, ...rest }));
    },
  };
}

/**
 * Two registrations at once want the same revision number and one gets it; the other finds no row,
 * looks again and either sees its own definition there or takes the next number.
 */
type LatestOf = Parameters<DefinitionStore['latestId']>[0];

const LATEST_IDS: Statement = {
  name: 'latest-definition-ids',
  writes: false,
  text: `
    select (
      select d.definition_id
      from definitions d
      where d.tenant_id = r.tenant_id
        and d.workflow_id = r.workflow_id
        and (r.version is null or d.version = r.version)
      order by d.seq desc
      limit 1
    ) as definition_id, ${STANDING_PAUSE_COLUMNS}
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality
      as r (tenant_id, workflow_id, version, place)
    ${joinStandingPause('r')}
    order by r.place`,
};

async function findLatestIds(
  pool: PostgresPool,
  asked: readonly LatestOf[],
): Promise<readonly (LatestId | null)[]> {
  const rows = await pool.run<LatestRecord>(LATEST_IDS, [
    asked.map(({ tenantId }) => tenantId),
    asked.map(({ workflowId }) => workflowId),
    asked.map(({ version }) => version),
  ]);
  return rows.map((row) =>
    row.definition_id === null
      ? null
      : { definitionId: row.definition_id, workflowPause: standingPauseOf(row) },
  );
}

type LatestRecord = StandingPauseColumns & { readonly definition_id: DefinitionId | null };

async function register(
  management: Management,
  params: Parameters<DefinitionStore['register']>[0],
): Promise<DefinitionRow | null> {
  const { tenantId, workflowId, version, irHash, workflowsMax = null, waitLimits } = params;
  const { placesMax = null, intervalUs = null, burst = null } = waitLimits ?? {};
  const ir = JSON.stringify(params.ir);
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const [row] = await management.any(
      sql.type(DefinitionRecord)`
        with newest as materialized (
          select ${COLUMNS}
          from definitions d
          where d.tenant_id = ${tenantId}
            and d.workflow_id = ${workflowId}
            and d.version = ${version}
          order by d.revision desc
          limit 1
        ),
        room as materialized (
          select ${workflowsMax}::int8 is null
            or lock_workflow_room(${tenantId}, ${workflowId}, ${workflowsMax}::int8) as there_is
        ),
        added as (
          insert into definitions as d (
            definition_id, tenant_id, workflow_id, version, revision, ir_hash, ir, actor_id,
            created_at, places_max, interval_us, burst
          )
          select ${params.definitionId}, ${tenantId}, ${workflowId}, ${version},
            coalesce((select n.revision from newest n), 0) + 1, ${irHash}, ${ir}::json,
            ${params.actorId}, date_trunc('milliseconds', clock_timestamp()),
            ${placesMax}::int4, ${intervalUs}::int8, ${burst}::int4
          where not exists (select from newest n where n.ir_hash = ${irHash})
            and (select r.there_is from room r)
          on conflict (tenant_id, workflow_id, version, revision) do nothing
          returning ${COLUMNS}
        ),
        audited as (${appendAuditOf(
          {
            tenantId,
            executionId: null,
            eventType: 'workflow_registered',
            actorId: params.actorId,
          },
          {
            payload: sql.fragment`json_build_object(
              'workflow_id', d.workflow_id, 'version', d.version, 'revision', d.revision,
              'ir_hash', d.ir_hash
            )`,
            from: sql.fragment`added d`,
          },
        )})
        select ${COLUMNS}
        from added d
        union all
        select ${COLUMNS}
        from newest d
        where d.ir_hash = ${irHash}`,
      { writes: true, tenant: tenantId },
    );
    if (row !== undefined) return decodeRow(row);
    if (!(await hasRoom(management, params))) return null;
  }
  throw new Error(`revision of ${workflowId} ${version} was taken ${TRIES_MAX} times in a row`);
}

/** No row may mean that the number was taken, or that the tenant has as many workflows as it may. */
async function hasRoom(
  management: Management,
  params: Parameters<DefinitionStore['register']>[0],
): Promise<boolean> {
  const { tenantId, workflowId, workflowsMax = null } = params;
  if (workflowsMax === null) return true;
  const [room] = await management.any(
    sql.type(RoomRecord)`
    select lock_workflow_room(${tenantId}, ${workflowId}, ${workflowsMax}::int8) as there_is`,
    { tenant: tenantId },
  );
  return room?.there_is ?? true;
}

function decodeRow(row: z.infer<typeof DefinitionRecord>): DefinitionRow {
  return {
    definitionId: row.definition_id as DefinitionId,
    tenantId: row.tenant_id as TenantId,
    workflowId: row.workflow_id,
    version: row.version,
    revision: row.revision,
    irHash: row.ir_hash,
    createdAt: row.created_at,
  };
}

function decodeStored(row: z.infer<typeof StoredRecord>): StoredDefinition {
  return { ...decodeRow(row), ir: JSON.parse(row.ir) as JsonObject };
}
