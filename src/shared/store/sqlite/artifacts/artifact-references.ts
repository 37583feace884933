import { artifactHashesIn, REFERENCE_KEY } from '../../../domain/artifact-reference.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { ReadArtifact, UnreadArtifact, UnusedArtifactStore } from '../../unused-artifacts.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function readEvents(
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

interface UnreadRecord {
  readonly tenant_id: TenantId;
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: number;
}

export function listUnread(
  connection: Connection,
  { limit }: Parameters<UnusedArtifactStore['listUnread']>[0],
): readonly UnreadArtifact[] {
  return connection
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
    }));
}

export function noteRead(connection: Connection, artifacts: readonly ReadArtifact[]): void {
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

export function readStandingReferences(
  connection: Connection,
  tenantId: TenantId,
): readonly string[] {
  return connection
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
    .map(({ body }) => body);
}

export function countUnreadWindows(connection: Connection): number {
  const row = connection.get<{ readonly windows: number }>(
    `select count(*) as windows
     from audit_windows
     where window_number > (select window_number from artifact_survey)`,
  );
  return row?.windows ?? 0;
}

/** The artifacts to which they referred may be unused from now on. For use within a transaction. */
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
