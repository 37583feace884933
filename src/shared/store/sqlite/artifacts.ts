import type { Artifact } from '../../domain/artifact.ts';
import type { TenantId } from '../../domain/ids.ts';
import {
  UPLOAD_SILENCE_MS,
  type ArtifactStore,
  type FinishUpload,
  type NewChunk,
  type UploadRef,
} from '../artifacts.ts';
import { appendAudit } from './audit-append.ts';
import type { Connection } from './connect.ts';
import { toIso } from './rows.ts';

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
    readChunk: (params) => connection.read(() => readChunk(connection, params)),
  };
}

/** Deletes uploads that were given up; returns how many. For use within a transaction. */
export function pruneUploads(connection: Connection): number {
  const silent = connection.all<{ readonly upload_id: string }>(
    'delete from artifact_uploads where touched_at <= :silent_since returning upload_id',
    { silent_since: connection.now() - UPLOAD_SILENCE_MS },
  );
  for (const { upload_id: uploadId } of silent) dropChunks(connection, uploadId);
  return silent.length;
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
           where upload_id = :upload_id and tenant_id = :tenant_id`,
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
  const known = findArtifact(connection, { tenantId, hash });
  if (known !== null) {
    dropChunks(connection, uploadId);
    return known;
  }
  const createdAt = connection.now();
  connection.run(
    `insert into artifacts (tenant_id, hash, upload_id, size, content_type, created_at)
     values (:tenant_id, :hash, :upload_id, :size, :content_type, :created_at)`,
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

function removeUpload(connection: Connection, upload: UploadRef): boolean {
  const removed = connection.run(
    'delete from artifact_uploads where upload_id = :upload_id and tenant_id = :tenant_id',
    { upload_id: upload.uploadId, tenant_id: upload.tenantId },
  );
  return removed > 0;
}

function dropChunks(connection: Connection, uploadId: string): void {
  connection.run('delete from artifact_chunks where upload_id = :upload_id', {
    upload_id: uploadId,
  });
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
