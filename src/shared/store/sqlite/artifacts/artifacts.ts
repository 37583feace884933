import type { Artifact } from '../../../domain/artifact.ts';
import type { TenantId } from '../../../domain/ids.ts';
import {
  HELD_ANEW_MS,
  type ArtifactStore,
  type FinishUpload,
  type NewChunk,
  type UploadRef,
} from '../../artifacts.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function createArtifactStore(connection: Connection): ArtifactStore {
  return {
    append: (chunk) => connection.write(() => append(connection, chunk)),
    finish: (upload) => connection.write(() => finish(connection, upload)),
    discard: (upload) =>
      connection.write(() => {
        if (removeUpload(connection, upload)) dropChunks(connection, upload.uploadId);
      }),
    find: ({ tenantId, hashes }) =>
      connection.read(() =>
        hashes.flatMap((hash) => findArtifact(connection, { tenantId, hash }) ?? []),
      ),
    hold: ({ tenantId, hashes }) =>
      connection.write(() => hashes.flatMap((hash) => hold(connection, { tenantId, hash }) ?? [])),
    isInLeasedItem: (params) => connection.read(() => isInLeasedItem(connection, params)),
    readChunk: (params) => connection.read(() => readChunk(connection, params)),
  };
}

function isInLeasedItem(
  connection: Connection,
  { tenantId, hash }: Parameters<ArtifactStore['isInLeasedItem']>[0],
): boolean {
  const found = connection.get(
    `select 1
     from work_leases as l
       join work_items as i on i.work_item_id = l.work_item_id
     where l.tenant_id = :tenant_id
       and (
         instr(i.payload, :hash) > 0
         or exists (
           select 1
           from artifact_references as r
           where r.tenant_id = l.tenant_id
             and r.hash = :hash
             and r.holder_id = l.execution_id
         )
       )
     limit 1`,
    { tenant_id: tenantId, hash },
  );
  return found !== undefined;
}

function append(connection: Connection, chunk: NewChunk): boolean {
  const { uploadId, tenantId, position, content } = chunk;
  const upload = { upload_id: uploadId, tenant_id: tenantId };
  const touched = { ...upload, touched_at: connection.now() };
  const isThere =
    position === 0
      ? connection.run(
          `insert into artifact_uploads (upload_id, tenant_id, touched_at)
           values (:upload_id, :tenant_id, :touched_at)`,
          touched,
        )
      : connection.run(
          `update artifact_uploads
           set touched_at = :touched_at
           where upload_id = :upload_id and tenant_id = :tenant_id and touched_at > 0`,
          touched,
        );
  if (isThere === 0) return false;
  connection.run(
    `insert into artifact_chunks (upload_id, position, tenant_id, content)
     values (:upload_id, :position, :tenant_id, :content)`,
    { ...upload, position, content },
  );
  return true;
}

function finish(connection: Connection, upload: FinishUpload): Artifact | null {
  const { uploadId, tenantId, hash, size, contentType, actorId } = upload;
  if (!removeUpload(connection, upload)) return null;
  const known = hold(connection, { tenantId, hash });
  if (known !== null) {
    dropChunks(connection, uploadId);
    return known;
  }
  const createdAt = connection.now();
  connection.run(
    `insert into artifacts (
       tenant_id, hash, upload_id, size, content_type, created_at, unused_since
     )
     values (:tenant_id, :hash, :upload_id, :size, :content_type, :created_at, :created_at)`,
    {
      tenant_id: tenantId,
      hash,
      upload_id: uploadId,
      size,
      content_type: contentType,
      created_at: createdAt,
    },
  );
  if (actorId !== null) {
    appendAudit(connection, {
      tenantId,
      executionId: null,
      eventType: 'artifact_stored',
      actorId,
      payload: { hash, size, content_type: contentType },
    });
  }
  return { hash, size, contentType, createdAt: toIso(createdAt) };
}

/** False: it does not exist, or was abandoned, and chunks of it may be missing. */
function removeUpload(connection: Connection, upload: UploadRef): boolean {
  const removed = connection.run(
    `delete from artifact_uploads
     where upload_id = :upload_id and tenant_id = :tenant_id and touched_at > 0`,
    { upload_id: upload.uploadId, tenant_id: upload.tenantId },
  );
  return removed > 0;
}

function dropChunks(connection: Connection, uploadId: string): void {
  connection.run('delete from artifact_chunks where upload_id = :upload_id', {
    upload_id: uploadId,
  });
}

/** For a caller that is about to refer to it. */
function hold(
  connection: Connection,
  ref: { readonly tenantId: TenantId; readonly hash: string },
): Artifact | null {
  const now = connection.now();
  connection.run(
    `update artifacts
     set unused_since = :now
     where tenant_id = :tenant_id and hash = :hash and unused_since < :stale_since`,
    { tenant_id: ref.tenantId, hash: ref.hash, now, stale_since: now - HELD_ANEW_MS },
  );
  return findArtifact(connection, ref);
}

interface ArtifactRecord {
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: number;
}

function findArtifact(
  connection: Connection,
  ref: { readonly tenantId: TenantId; readonly hash: string },
): Artifact | null {
  const row = connection.get<ArtifactRecord>(
    `select hash, size, content_type, created_at
     from artifacts
     where tenant_id = :tenant_id and hash = :hash`,
    { tenant_id: ref.tenantId, hash: ref.hash },
  );
  if (row === undefined) return null;
  const { hash, size, content_type: contentType, created_at: createdAt } = row;
  return { hash, size, contentType, createdAt: toIso(createdAt) };
}

function readChunk(
  connection: Connection,
  params: Parameters<ArtifactStore['readChunk']>[0],
): Uint8Array | null {
  const { tenantId, hash, position } = params;
  const row = connection.get<{ readonly content: Uint8Array }>(
    `select c.content
     from artifacts a
     join artifact_chunks c on c.upload_id = a.upload_id
     where a.tenant_id = :tenant_id and a.hash = :hash and c.position = :position`,
    { tenant_id: tenantId, hash, position },
  );
  return row?.content ?? null;
}
