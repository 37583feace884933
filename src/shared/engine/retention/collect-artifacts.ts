import { artifactHashesIn } from '../../domain/artifact-reference.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { Store } from '../../store/store.ts';
import type { ReadArtifact, UnreadArtifact } from '../../store/unused-artifacts.ts';
import { RESOLVED_BYTES_MAX } from '../artifacts/resolve.ts';
import { restAfter, type Resting } from './rest-after.ts';
import { leastAge, type RetentionRequest } from './scan-due.ts';
import { nextWindows, SURVEYED_WINDOWS } from './survey-pace.ts';

/*
 * Removes artifacts without references, for tenants with a retention policy: those of executions
 * that retention has removed, and uploads that no result ever referred to.
 *
 * First it reads the values written since its last run, then it removes artifacts, then it deletes
 * contents. Each step is a transaction that checks everything again. So after a crash an artifact
 * either exists or is gone, and its content is deleted or on the list of those to delete. If two
 * run at once, each takes the rows that the other has not locked.
 */

export type ArtifactStores = Pick<Store, 'retention' | 'artifacts' | 'unusedArtifacts'>;

export interface ArtifactRun extends Pick<
  RetentionRequest,
  'tenantId' | 'olderThanMs' | 'defaults'
> {
  readonly actorId: string;
  /** How long an artifact without references is kept; null: forever. */
  readonly unusedMs: number | null;
  /** Asked between two steps. */
  readonly isOver: () => boolean;
}

export interface RemovedArtifacts {
  readonly artifacts: number;
  readonly bytes: number;
}

const CONTENTS_AT_A_TIME = 20;
const REMOVED_AT_A_TIME = 100;

export async function collectArtifacts(
  deps: Resting & { readonly stores: ArtifactStores },
  run: ArtifactRun,
): Promise<RemovedArtifacts> {
  const { stores } = deps;
  const { unusedMs } = run;
  let removed: RemovedArtifacts = { artifacts: 0, bytes: 0 };
  if (unusedMs === null) return removed;
  const tenants: TenantId[] = [];
  for await (const tenantId of tenantsWithArtifacts(stores, run)) tenants.push(tenantId);
  if (tenants.length === 0) return removed;
  await readReferences(deps, run);
  for (const tenantId of tenants) {
    const except = await readStanding(stores, tenantId);
    const params = { tenantId, unusedMs, except, limit: REMOVED_AT_A_TIME, actorId: run.actorId };
    for (let looked = REMOVED_AT_A_TIME; looked === REMOVED_AT_A_TIME;) {
      if (run.isOver()) return removed;
      const round = await restAfter(deps, () => stores.unusedArtifacts.remove(params));
      looked = round.looked;
      removed = {
        artifacts: removed.artifacts + round.artifacts,
        bytes: removed.bytes + round.bytes,
      };
    }
  }
  if (removed.artifacts > 0) await deleteContents(deps, run);
  return removed;
}

/** The artifacts that a run would remove now, as far as they have been read. */
export async function countUnusedArtifacts(
  stores: ArtifactStores,
  request: Pick<ArtifactRun, 'tenantId' | 'olderThanMs' | 'defaults' | 'unusedMs'>,
): Promise<RemovedArtifacts> {
  const { unusedMs } = request;
  let found: RemovedArtifacts = { artifacts: 0, bytes: 0 };
  if (unusedMs === null) return found;
  for await (const tenantId of tenantsWithArtifacts(stores, request)) {
    const except = await readStanding(stores, tenantId);
    const { artifacts, bytes } = await stores.unusedArtifacts.count({ tenantId, unusedMs, except });
    found = { artifacts: found.artifacts + artifacts, bytes: found.bytes + bytes };
  }
  return found;
}

/** Windows of the audit log still to be read for references. Without artifacts nobody reads them. */
export async function countUnreadWindows({
  unusedArtifacts,
}: Pick<ArtifactStores, 'unusedArtifacts'>): Promise<number> {
  if ((await unusedArtifacts.nextTenant(null)) === null) return 0;
  return unusedArtifacts.unreadWindows();
}

/** Nothing is removed of a tenant that nobody has asked it for. */
async function* tenantsWithArtifacts(
  { retention, unusedArtifacts }: ArtifactStores,
  request: Pick<ArtifactRun, 'tenantId' | 'olderThanMs' | 'defaults'>,
): AsyncGenerator<TenantId> {
  let tenantId = await unusedArtifacts.nextTenant(null);
  while (tenantId !== null) {
    const isAskedFor = request.tenantId === null || request.tenantId === tenantId;
    if (isAskedFor && (await leastAge(retention, tenantId, request)) !== null) yield tenantId;
    tenantId = await unusedArtifacts.nextTenant(tenantId);
  }
}

async function readStanding(
  { unusedArtifacts }: ArtifactStores,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const texts = await unusedArtifacts.standingReferences(tenantId);
  return [...new Set(texts.flatMap(artifactHashesIn))];
}

async function readReferences(
  deps: Resting & { readonly stores: ArtifactStores },
  run: ArtifactRun,
): Promise<void> {
  const { unusedArtifacts, artifacts } = deps.stores;
  let windowsMax = SURVEYED_WINDOWS.min;
  for (let hasMore = true; hasMore && !run.isOver();) {
    const asked = windowsMax;
    const { read } = await restAfter(deps, async () => {
      const began = deps.now();
      const done = await unusedArtifacts.readEvents({ windowsMax: asked });
      windowsMax = nextWindows(asked, deps.now() - began);
      return done;
    });
    hasMore = read === asked;
  }
  for (let read = CONTENTS_AT_A_TIME; read === CONTENTS_AT_A_TIME && !run.isOver();) {
    read = await restAfter(deps, async () => {
      const unread = await unusedArtifacts.listUnread({ limit: CONTENTS_AT_A_TIME });
      const told: ReadArtifact[] = [];
      for (const artifact of unread) {
        const names = await namesIn(artifacts, artifact);
        told.push({ tenantId: artifact.tenantId, hash: artifact.hash, names });
      }
      if (told.length > 0) await unusedArtifacts.noteRead(told);
      return unread.length;
    });
  }
}

/** References are values of JSON, and in what is larger nobody looks for them. */
async function namesIn(store: ArtifactStore, artifact: UnreadArtifact): Promise<readonly string[]> {
  if (!/json/i.test(artifact.contentType) || artifact.size > RESOLVED_BYTES_MAX) return [];
  const { tenantId, hash } = artifact;
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = await store.readChunk({ tenantId, hash, position: chunks.length });
    if (chunk === null) break;
    chunks.push(chunk);
  }
  return artifactHashesIn(Buffer.concat(chunks).toString());
}

/** Pruning deletes the rest when the time is up. */
async function deleteContents(
  deps: Resting & { readonly stores: ArtifactStores },
  run: ArtifactRun,
): Promise<void> {
  const { unusedArtifacts } = deps.stores;
  while (!run.isOver()) {
    if ((await restAfter(deps, () => unusedArtifacts.deleteChunks())) === 0) return;
  }
}
