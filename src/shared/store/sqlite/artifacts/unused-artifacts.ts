import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { HeldArtifact, UnusedArtifactStore } from '../../unused-artifacts.ts';
import type { Connection } from '../connection/connect.ts';
import { pruneChunks } from './prune-uploads.ts';
import {
  countUnreadWindows,
  listUnread,
  noteRead,
  readEvents,
  readStandingReferences,
} from './artifact-references.ts';
import { countUnused, removeUnused } from './remove-unused.ts';

export function createUnusedArtifactStore(connection: Connection): UnusedArtifactStore {
  return {
    nextTenant: (after) => connection.read(() => findNextTenant(connection, after)),
    readEvents: (params) => connection.write(() => readEvents(connection, params)),
    listUnread: (params) => connection.read(() => listUnread(connection, params)),
    noteRead: (artifacts) => connection.write(() => noteRead(connection, artifacts)),
    standingReferences: (tenantId) =>
      connection.read(() => readStandingReferences(connection, tenantId)),
    remove: (params) => connection.write(() => removeUnused(connection, params)),
    count: (params) => connection.read(() => countUnused(connection, params)),
    unreadWindows: () => connection.read(() => countUnreadWindows(connection)),
    heldBy: (executionIds) => connection.read(() => listHeld(connection, executionIds)),
    deleteChunks: () => connection.write(() => pruneChunks(connection)),
  };
}

function findNextTenant(connection: Connection, after: TenantId | null): TenantId | null {
  const row = connection.get<{ readonly tenant_id: TenantId | null }>(
    'select min(tenant_id) as tenant_id from artifacts where tenant_id > :after',
    { after: after ?? '' },
  );
  return row?.tenant_id ?? null;
}

interface HeldRecord {
  readonly tenant_id: TenantId;
  readonly hash: string;
  readonly size: number;
  readonly holders: number;
  readonly held: number;
}

function listHeld(
  connection: Connection,
  executionIds: readonly ExecutionId[],
): readonly HeldArtifact[] {
  return connection
    .all<HeldRecord>(
      `select h.tenant_id, h.hash, a.size, h.held, (
           select count(*)
           from artifact_references as o
           where o.tenant_id = h.tenant_id and o.hash = h.hash
         ) as holders
       from (
         select r.tenant_id, r.hash, count(*) as held
         from artifact_references as r
         where r.holder_id in (select value from json_each(:ids))
         group by r.tenant_id, r.hash
       ) as h
       join artifacts as a on a.tenant_id = h.tenant_id and a.hash = h.hash`,
      { ids: JSON.stringify(executionIds) },
    )
    .map(({ tenant_id: tenantId, ...row }) => ({ ...row, tenantId }));
}
