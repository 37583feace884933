import type { Artifact } from '../../domain/artifact.ts';
import { UPLOAD_SILENCE_MS, type ArtifactStore } from '../artifacts.ts';
import { newAuditId } from '../audit-ids.ts';
import { appendAudit } from './audit-append.ts';
import type { PostgresPool, Statement } from './connect.ts';

/** `readers` is for what one tenant asks, under row-level security. */
export function createArtifactStore(readers: PostgresPool): ArtifactStore {
  const find: ArtifactStore['find'] = async ({ tenantId, hashes }) => {
    if (hashes.length === 0) return [];
    const rows = await readers.run<ArtifactRecord>(FIND, [tenantId, hashes], tenantId);
    return rows.map(decodeArtifact);
  };
  return {
    async append({ uploadId, tenantId, position, content }) {
      const statement = position === 0 ? BEGIN_UPLOAD : ADD_CHUNK;
      const values = [uploadId, tenantId, position, content];
      return (await readers.run(statement, values, tenantId)).length > 0;
    },

    async finish({ uploadId, tenantId, hash, size, contentType, actorId }) {
      const values = [uploadId, tenantId, hash, size, contentType, actorId, newAuditId()];
      const finished = await readers.run(FINISH, values, tenantId);
      if (finished.length === 0) return null;
      // Read apart: the statement above does not see what another one wrote at the same time.
      const [artifact] = await find({ tenantId, hashes: [hash] });
      if (artifact === undefined) throw new Error(`artifact ${hash} is gone as soon as finished`);
      return artifact;
    },

    async discard({ uploadId, tenantId }) {
      await readers.run(DISCARD, [uploadId, tenantId], tenantId);
    },

    find,

    async readChunk({ tenantId, hash, position }) {
      const values = [tenantId, hash, position];
      const [row] = await readers.run<ChunkRecord>(READ_CHUNK, values, tenantId);
      return row === undefined ? null : Buffer.from(row.content.slice('\\x'.length), 'hex');
    },
  };
}

/** Deletes uploads that were given up; returns how many. */
export async function pruneUploads(readers: PostgresPool): Promise<number> {
  let total = 0;
  for (;;) {
    const pruned = await readers.run(PRUNE, [UPLOAD_SILENCE_MS, PRUNED_AT_ONCE_MAX]);
    total += pruned.length;
    if (pruned.length < PRUNED_AT_ONCE_MAX) return total;
  }
}

/** Each may have hundreds of chunks. */
const PRUNED_AT_ONCE_MAX = 20;

interface ArtifactRecord {
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: string;
}

interface ChunkRecord {
  /** `\x00ff…`, as the server writes bytes. */
  readonly content: string;
}

function decodeArtifact(row: ArtifactRecord): Artifact {
  return {
    hash: row.hash,
    size: row.size,
    contentType: row.content_type,
    createdAt: row.created_at,
  };
}

const BEGIN_UPLOAD: Statement = {
  name: 'begin-artifact-upload',
  writes: true,
  text: `
    with upload as (
      insert into artifact_uploads (upload_id, tenant_id, touched_at)
      values ($1::uuid, $2, clock_timestamp())
    )
    insert into artifact_chunks (upload_id, position, tenant_id, content)
    values ($1::uuid, $3, $2, $4)
    returning position`,
};

/* The upload's row is locked meanwhile, so that pruning and finishing see all of its chunks. */
const ADD_CHUNK: Statement = {
  name: 'add-artifact-chunk',
  writes: true,
  text: `
    with upload as (
      update artifact_uploads u
      set touched_at = clock_timestamp()
      where u.upload_id = $1::uuid
        and u.tenant_id = $2
      returning u.upload_id
    )
    insert into artifact_chunks (upload_id, position, tenant_id, content)
    select upload_id, $3, $2, $4
    from upload
    returning position`,
};

/** The upload, which is one no more. */
const TAKEN_UPLOAD = `
    upload as (
      delete from artifact_uploads u
      where u.upload_id = $1::uuid
        and u.tenant_id = $2
      returning u.upload_id
    )`;

/* Of two that finish the same content at once, the second waits for the first and adds nothing. */
const FINISH: Statement = {
  name: 'finish-artifact-upload',
  writes: true,
  text: `
    with ${TAKEN_UPLOAD},
    added as (
      insert into artifacts as a (tenant_id, hash, upload_id, size, content_type, created_at)
      select $2, $3, upload_id, $4::int8, $5, date_trunc('milliseconds', clock_timestamp())
      from upload
      on conflict (tenant_id, hash) do nothing
      returning a.tenant_id, a.hash, a.size, a.content_type
    ),
    dropped as (
      delete from artifact_chunks c
      where c.upload_id = $1::uuid
        and exists (select from upload)
        and not exists (select from added)
    ),
    audited as (${appendAudit({
      auditId: '$7::uuid',
      tenantId: 'tenant_id',
      eventType: `'artifact_stored'`,
      actorId: '$6::text',
      payload: `json_build_object('hash', hash, 'size', size, 'content_type', content_type)`,
      from: 'added where $6::text is not null',
    })})
    select upload_id
    from upload`,
};

const DISCARD: Statement = {
  name: 'discard-artifact-upload',
  writes: true,
  text: `
    with ${TAKEN_UPLOAD}
    delete from artifact_chunks c
    where c.upload_id = $1::uuid
      and exists (select from upload)`,
};

const FIND: Statement = {
  name: 'find-artifacts',
  writes: false,
  text: `
    select a.hash, a.size, a.content_type, a.created_at
    from artifacts a
    where a.tenant_id = $1
      and a.hash = any($2::text[])`,
};

const READ_CHUNK: Statement = {
  name: 'read-artifact-chunk',
  writes: false,
  text: `
    select c.content
    from artifact_chunks c
    where c.upload_id = (
        select a.upload_id
        from artifacts a
        where a.tenant_id = $1
          and a.hash = $2
      )
      and c.position = $3`,
};

const PRUNE: Statement = {
  name: 'prune-artifact-uploads',
  writes: true,
  text: `
    with silent as materialized (
      select u.upload_id
      from artifact_uploads u
      where u.touched_at <= clock_timestamp() - $1::int8 * interval '1 millisecond'
      order by u.touched_at
      limit $2
      for update skip locked
    ),
    dropped as (
      delete from artifact_chunks c
      where c.upload_id = any(array(select s.upload_id from silent s))
    )
    delete from artifact_uploads u
    where u.upload_id = any(array(select s.upload_id from silent s))
    returning u.upload_id`,
};
