import {
  UNDER_WAY_MS_MAX,
  UNREAD_MS_MAX,
  type UnusedArtifactStore,
  type UnusedSelection,
} from '../../unused-artifacts.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection, NamedBindings } from '../connection/connect.ts';
import { releaseArtifacts } from './artifact-references.ts';

export function removeUnused(
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

export function countUnused(
  connection: Connection,
  params: UnusedSelection,
): Awaited<ReturnType<UnusedArtifactStore['count']>> {
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
}

/**
 * The condition on artifacts `a`. The survey must have read everything that was committed up to half a
 * day after `unused_since`: contents, and events up to the end of a window, or all events.
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
