import { artifactHashesIn, REFERENCE_KEY } from '../../../domain/artifact-reference.ts';
import type { TenantId } from '../../../domain/ids.ts';
import {
  UNDER_WAY_MS_MAX,
  UNREAD_MS_MAX,
  type ReadArtifact,
  type UnusedArtifactStore,
  type UnusedSelection,
} from '../../unused-artifacts.ts';
import { pruneChunks } from './artifacts.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection, NamedBindings } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function createUnusedArtifactStore(connection: Connection): UnusedArtifactStore {
  return {
    nextTenant: (after) =>
      connection.read(() => {
        const row = connection.get<{ readonly tenant_id: TenantId | null }>(
          'select min(tenant_id) as tenant_id from artifacts where tenant_id > :after',
          { after: after ?? '' },
        );
        return row?.tenant_id ?? null;
      }),

    readEvents: (params) => connection.write(() => readEvents(connection, params)),

    listUnread: ({ limit }) =>
      connection.read(() =>
        connection
          .all<UnreadRecord>(
            `select tenant_id, hash, size, content_type, created_at
             from artifacts
             where is_read = 0
             order by created_at
             limit :limit`,
            { limit },
          )
          .map((row) => ({
            tenantId: row.tenant_id,
            hash: row.hash,
            size: row.size,
            contentType: row.content_type,
            createdAt: toIso(row.created_at),
          })),
      ),

    noteRead: (artifacts) => connection.write(() => noteRead(connection, artifacts)),

    standingReferences: (tenantId) =>
      connection.read(() =>
        connection
          .all<{ readonly body: string }>(
            `select ir as body
             from definitions
             where tenant_id = :tenant_id and instr(ir, :key) > 0
             union all
             select ir
             from imported_definitions
             where tenant_id = :tenant_id and instr(ir, :key) > 0
             union all
             select input
             from schedules
             where tenant_id = :tenant_id and instr(input, :key) > 0`,
            { tenant_id: tenantId, key: REFERENCE_KEY },
          )
          .map(({ body }) => body),
      ),

    remove: (params) => connection.write(() => remove(connection, params)),

    count: (params) =>
      connection.read(() => {
        const row = connection.get<{ readonly artifacts: number; readonly bytes: number }>(
          `select count(*) as artifacts, coalesce(sum(a.size), 0) as bytes
           from artifacts as a
           where ${IS_UNUSED}
             and not exists (
               select 1
               from artifact_references as r
               where r.tenant_id = a.tenant_id and r.hash = a.hash
             )`,
          unusedBindings(connection, params),
        );
        return row ?? { artifacts: 0, bytes: 0 };
      }),

    unreadWindows: () =>
      connection.read(() => {
        const row = connection.get<{ readonly windows: number }>(
          `select count(*) as windows
           from audit_windows
           where window_number > (select window_number from artifact_survey)`,
        );
        return row?.windows ?? 0;
      }),

    heldBy: (executionIds) =>
      connection.read(() =>
        connection
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
          .map(({ tenant_id: tenantId, ...row }) => ({ ...row, tenantId })),
      ),

    deleteChunks: () => connection.write(() => pruneChunks(connection)),
  };
}

/** What they referred to may be unused from now on. For use within a transaction. */
export function releaseArtifacts(connection: Connection, holders: readonly string[]): void {
  const bindings = { holders: JSON.stringify(holders), now: connection.now() };
  connection.run(
    `update artifacts
     set unused_since = :now
     where (tenant_id, hash) in (
       select r.tenant_id, r.hash
       from artifact_references as r
       where r.holder_id in (select value from json_each(:holders))
     )`,
    bindings,
  );
  connection.run(
    'delete from artifact_references where holder_id in (select value from json_each(:holders))',
    { holders: bindings.holders },
  );
}

interface UnreadRecord {
  readonly tenant_id: TenantId;
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: number;
}

interface HeldRecord {
  readonly tenant_id: TenantId;
  readonly hash: string;
  readonly size: number;
  readonly holders: number;
  readonly held: number;
}

function readEvents(
  connection: Connection,
  { windowsMax }: Parameters<UnusedArtifactStore['readEvents']>[0],
): { readonly read: number } {
  const span = connection.get<{
    readonly window_number: number | null;
    readonly windows: number;
    readonly covers_from: number;
    readonly covers_to: number;
  }>(
    `select max(w.window_number) as window_number, count(*) as windows,
       min(w.covers_from) as covers_from, max(w.covers_to) as covers_to
     from (
       select window_number, covers_from, covers_to
       from audit_windows
       where window_number > (select window_number from artifact_survey)
       order by window_number
       limit :windows_max
     ) as w`,
    { windows_max: windowsMax },
  );
  if (span === undefined || span.window_number === null) return { read: 0 };
  const naming = connection.all<{
    readonly id: string;
    readonly tenant_id: TenantId;
    readonly payload: string;
  }>(
    `select x.id, x.tenant_id, v.payload
     from events as v
     join executions as x on x.id = v.execution_id
     where v.created_at >= :from
       and v.created_at < :to
       and instr(v.payload, :key) > 0`,
    { from: span.covers_from, to: span.covers_to, key: REFERENCE_KEY },
  );
  for (const { id, tenant_id: tenantId, payload } of naming) {
    addReferences(connection, { tenantId, holder: id, hashes: artifactHashesIn(payload) });
  }
  connection.run('update artifact_survey set window_number = ?', [span.window_number]);
  return { read: span.windows };
}

function noteRead(connection: Connection, artifacts: readonly ReadArtifact[]): void {
  for (const { tenantId, hash, names } of artifacts) {
    const [read] = connection.all<{ readonly upload_id: string }>(
      'update artifacts set is_read = 1 where tenant_id = ? and hash = ? returning upload_id',
      [tenantId, hash],
    );
    if (read === undefined) continue;
    addReferences(connection, { tenantId, holder: read.upload_id, hashes: names });
  }
}

function addReferences(
  connection: Connection,
  params: {
    readonly tenantId: TenantId;
    readonly holder: string;
    readonly hashes: readonly string[];
  },
): void {
  for (const hash of params.hashes) {
    connection.run(
      `insert into artifact_references (tenant_id, hash, holder_id)
       values (?, ?, ?)
       on conflict do nothing`,
      [params.tenantId, hash, params.holder],
    );
  }
}

function remove(
  connection: Connection,
  params: Parameters<UnusedArtifactStore['remove']>[0],
): Awaited<ReturnType<UnusedArtifactStore['remove']>> {
  const { tenantId, limit, actorId } = params;
  const due = connection.all<{
    readonly hash: string;
    readonly upload_id: string;
    readonly size: number;
    readonly is_held: 0 | 1;
  }>(
    `select a.hash, a.upload_id, a.size, exists (
         select 1
         from artifact_references as r
         where r.tenant_id = a.tenant_id and r.hash = a.hash
       ) as is_held
     from artifacts as a
     where ${IS_UNUSED}
     order by a.unused_since
     limit :limit`,
    { ...unusedBindings(connection, params), limit },
  );
  const removed = due.filter((artifact) => artifact.is_held === 0);
  for (const { hash, is_held: isHeld } of due) {
    if (isHeld === 0) continue;
    connection.run('update artifacts set unused_since = null where tenant_id = ? and hash = ?', [
      tenantId,
      hash,
    ]);
  }
  for (const { hash, upload_id: uploadId } of removed) {
    connection.run('delete from artifacts where tenant_id = ? and hash = ?', [tenantId, hash]);
    connection.run(
      'insert into artifact_uploads (upload_id, tenant_id, touched_at) values (?, ?, 0)',
      [uploadId, tenantId],
    );
  }
  const bytes = removed.reduce((sum, { size }) => sum + size, 0);
  if (removed.length > 0) {
    releaseArtifacts(
      connection,
      removed.map((artifact) => artifact.upload_id),
    );
    appendAudit(connection, {
      tenantId,
      executionId: null,
      eventType: 'artifacts_removed',
      actorId,
      payload: { artifacts: removed.length, bytes, hashes: removed.map(({ hash }) => hash) },
    });
  }
  return { looked: due.length, artifacts: removed.length, bytes };
}

/**
 * All that was committed half a day after `unused_since` must have been read: events up to the end of a
 * window, or all there are, and contents. Of artifacts `a`.
 */
const IS_UNUSED = `
  a.tenant_id = :tenant_id
  and a.hash not in (select value from json_each(:except))
  and a.unused_since <= :unused_until
  and a.unused_since <= coalesce(
    (select min(u.created_at) - :unread_ms from artifacts as u where u.is_read = 0),
    :unused_until
  )
  and a.unused_since <= (
    select case
        when exists (select 1 from audit_windows as w where w.window_number > s.window_number)
          or exists (select 1 from events as v where v.created_at >= r.read_to)
          then r.read_to
        else :now - :under_way_ms
      end
    from artifact_survey as s
    join (
      select coalesce(max(w.covers_to), 0) as read_to
      from audit_windows as w
      where w.window_number = (select window_number from artifact_survey)
    ) as r
  ) - :unread_ms`;

function unusedBindings(
  connection: Connection,
  { tenantId, unusedMs, except }: UnusedSelection,
): NamedBindings {
  const now = connection.now();
  return {
    tenant_id: tenantId,
    except: JSON.stringify(except),
    unused_until: now - unusedMs,
    now,
    unread_ms: UNREAD_MS_MAX,
    under_way_ms: UNDER_WAY_MS_MAX,
  };
}
