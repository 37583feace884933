import { sql } from 'slonik';
import { z } from 'zod';

import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { HeldArtifact, UnusedArtifactStore } from '../../unused-artifacts.ts';
import type { PostgresPool } from '../connection/connect.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';
import { pruneChunks } from './prune-uploads.ts';
import {
  countUnreadWindows,
  listUnread,
  noteRead,
  readEvents,
  readStandingReferences,
} from './artifact-references.ts';
import { countUnused, removeUnused } from './remove-unused.ts';

const TenantRecord = z.object({ tenant_id: z.string().nullable() });
const HeldRecord = z.object({
  tenant_id: z.string(),
  hash: z.string(),
  size: z.int(),
  holders: z.int(),
  held: z.int(),
});

export function createUnusedArtifactStore(
  management: Management,
  readers: PostgresPool,
): UnusedArtifactStore {
  return {
    nextTenant: (after) => findNextTenant(management, after),
    readEvents: (params) => readEvents(management, params),
    listUnread: (params) => listUnread(management, params),
    noteRead: (artifacts) => noteRead(management, artifacts),
    standingReferences: (tenantId) => readStandingReferences(management, tenantId),
    remove: (params) => removeUnused(management, params),
    count: (params) => countUnused(management, params),
    unreadWindows: () => countUnreadWindows(management),
    heldBy: (executionIds) => listHeld(management, executionIds),
    deleteChunks: () => pruneChunks(readers),
  };
}

async function findNextTenant(
  management: Management,
  after: TenantId | null,
): Promise<TenantId | null> {
  const [row] = await management.any(sql.type(TenantRecord)`
    select min(a.tenant_id) as tenant_id
    from artifacts a
    where a.tenant_id > ${after ?? ''}`);
  return (row?.tenant_id ?? null) as TenantId | null;
}

async function listHeld(
  management: Management,
  executionIds: readonly ExecutionId[],
): Promise<readonly HeldArtifact[]> {
  const rows = await management.any(sql.type(HeldRecord)`
    with held as (
      select r.tenant_id, r.hash, count(*) as held
      from artifact_references r
      where r.holder_id = any(${sql.array(executionIds.map(toUuid), 'uuid')})
      group by r.tenant_id, r.hash
    )
    select h.tenant_id, h.hash, a.size, h.held, (
        select count(*)
        from artifact_references o
        where o.tenant_id = h.tenant_id
          and o.hash = h.hash
      ) as holders
    from held h
    join artifacts a on a.tenant_id = h.tenant_id and a.hash = h.hash`);
  return rows.map(({ tenant_id: tenantId, ...row }) => ({
    ...row,
    tenantId: tenantId as TenantId,
  }));
}
