import type { Artifact } from '../../../domain/artifact.ts';
import { HELD_ANEW_MS, type ArtifactStore } from '../../artifacts.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import { appendAudit } from '../audit/append.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

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
      const values = [
        uploadId,
        tenantId,
        hash,
        size,
        contentType,
        actorId,
        newAuditId(),
        HELD_ANEW_MS,
      ];
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

    async hold({ tenantId, hashes }) {
      if (hashes.length === 0) return [];
      const values = [tenantId, hashes, HELD_ANEW_MS];
      const rows = await readers.run<ArtifactRecord>(HOLD, values, tenantId);
      return rows.map(decodeArtifact);
    },

    async isInLeasedItem({ tenantId, hash }) {
      return (await readers.run(IS_IN_LEASED_ITEM, [tenantId, hash], tenantId)).length > 0;
    },

    async readChunk({ tenantId, hash, position }) {
      const values = [tenantId, hash, position];
      const [row] = await readers.run<ChunkRecord>(READ_CHUNK, values, tenantId);
      return row === undefined ? null : Buffer.from(row.content.slice('\\x'.length), 'hex');
    },
  };
}

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
        and u.touched_at > '-infinity'
      returning u.upload_id
    )
    insert into artifact_chunks (upload_id, position, tenant_id, content)
    select upload_id, $3, $2, $4
    from upload
    returning position`,
};

/** Ends the upload. Chunks of an abandoned one may be missing. */
const TAKEN_UPLOAD = `
    upload as (
      delete from artifact_uploads u
      where u.upload_id = $1::uuid
        and u.tenant_id = $2
        and u.touched_at > '-infinity'
      returning u.upload_id
    )`;

/*
 * If two uploads finish the same content at once, the second waits for the first and adds nothing.
 * An existing artifact is held, because its sender is about to refer to it.
 */
const FINISH: Statement = {
  name: 'finish-artifact-upload',
  writes: true,
  text: `
    with ${TAKEN_UPLOAD},
    added as (
      insert into artifacts as a (tenant_id, hash, upload_id, size, content_type, created_at)
      select $2, $3, upload_id, $4::int8, $5, date_trunc('milliseconds', clock_timestamp())
      from upload
      on conflict (tenant_id, hash) do update
        set unused_since = clock_timestamp()
        where a.unused_since < clock_timestamp() - $8::int8 * interval '1 millisecond'
      returning a.upload_id, a.tenant_id, a.hash, a.size, a.content_type
    ),
    dropped as (
      delete from artifact_chunks c
      where c.upload_id = $1::uuid
        and exists (select from upload)
        and not exists (select from added a where a.upload_id = $1::uuid)
    ),
    audited as (${appendAudit({
      auditId: '$7::uuid',
      tenantId: 'tenant_id',
      eventType: `'artifact_stored'`,
      actorId: '$6::text',
      payload: `json_build_object('hash', hash, 'size', size, 'content_type', content_type)`,
      from: 'added where upload_id = $1::uuid and $6::text is not null',
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

const IS_IN_LEASED_ITEM: Statement = {
  name: 'is-artifact-in-leased-item',
  writes: false,
  text: `
    select 1 as is_named
    from work_leases l
    cross join lateral (
      select w.payload from work_items w where w.work_item_id = l.work_item_id limit 1
    ) i
    where l.tenant_id = $1
      and (
        position($2::text in i.payload::text) > 0
        or exists (
          select 1
          from artifact_references r
          where r.tenant_id = l.tenant_id
            and r.hash = $2::text
            and r.holder_id = l.execution_id
        )
      )
    limit 1`,
};

/*
 * One that is being removed has long been unused: it is waited for, and is then not there. All others are
 * as this statement sees them. Locked in one order, as removals do.
 */
const HOLD: Statement = {
  name: 'hold-artifacts',
  writes: true,
  text: `
    with seen as materialized (
      select a.hash, a.size, a.content_type, a.created_at,
        coalesce(a.unused_since < now() - $3::int8 * interval '1 millisecond', false) as is_stale
      from artifacts a
      where a.tenant_id = $1
        and a.hash = any($2::text[])
    ),
    held as materialized (
      select a.hash
      from artifacts a
      where a.tenant_id = $1
        and a.hash = any(array(select s.hash from seen s where s.is_stale))
      order by a.hash
      for update
    ),
    kept as (
      update artifacts a
      set unused_since = clock_timestamp()
      where a.tenant_id = $1
        and a.hash = any(array(select h.hash from held h))
    )
    select s.hash, s.size, s.content_type, s.created_at
    from seen s
    where not s.is_stale
      or s.hash = any(array(select h.hash from held h))`,
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
