import { sql } from 'slonik';
import { z } from 'zod';

import { REFERENCE_KEY } from '../../../domain/artifact-reference.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { ReadArtifact, UnreadArtifact, UnusedArtifactStore } from '../../unused-artifacts.ts';
import type { Management } from '../connection/management.ts';

const SpanRecord = z.object({
  read_to: z.int(),
  window_number: z.int(),
  windows: z.int(),
  covers_from: z.string(),
  covers_to: z.string(),
});
const DoneRecord = z.object({ done: z.boolean() });
const TextRecord = z.object({ body: z.string() });
const WindowsRecord = z.object({ windows: z.int() });
const UnreadRecord = z.object({
  tenant_id: z.string(),
  hash: z.string(),
  size: z.int(),
  content_type: z.string(),
  created_at: z.string(),
});

/**
 * If two processes read the same windows, both write the same references, and one of them moves the
 * survey. A lock keeps each execution from removal meanwhile, so no reference outlives its holder.
 */
export async function readEvents(
  management: Management,
  { windowsMax }: Parameters<UnusedArtifactStore['readEvents']>[0],
): Promise<{ readonly read: number }> {
  const [span] = await management.any(sql.type(SpanRecord)`
    select s.window_number as read_to, max(w.window_number) as window_number, count(*) as windows,
      min(w.covers_from) as covers_from, max(w.covers_to) as covers_to
    from artifact_survey s
    cross join lateral (
      select w.window_number, w.covers_from, w.covers_to
      from audit_windows w
      where w.window_number > s.window_number
      order by w.window_number
      limit ${windowsMax}
    ) w
    group by s.window_number`);
  if (span === undefined) return { read: 0 };
  await management.any(
    sql.type(DoneRecord)`
      with naming as materialized (
        select distinct v.execution_id, n.found[1] as hash
        from events v
        cross join lateral regexp_matches(v.payload::text, '[0-9a-f]{64}', 'g') as n (found)
        where v.created_at >= ${span.covers_from}::timestamptz
          and v.created_at < ${span.covers_to}::timestamptz
          and strpos(v.payload::text, ${REFERENCE_KEY}) > 0
      ),
      holders as materialized (
        select x.id, x.tenant_id
        from executions x
        where x.id = any(array(select distinct n.execution_id from naming n))
        order by x.id
        for key share
      ),
      noted as (
        insert into artifact_references (tenant_id, hash, holder_id)
        select h.tenant_id, n.hash, h.id
        from naming n
        join holders h on h.id = n.execution_id
        on conflict do nothing
      )
      update artifact_survey s
      set window_number = ${span.window_number}
      where s.window_number = ${span.read_to}
      returning true as done`,
    { writes: true },
  );
  return { read: span.windows };
}

export async function listUnread(
  management: Management,
  { limit }: Parameters<UnusedArtifactStore['listUnread']>[0],
): Promise<readonly UnreadArtifact[]> {
  const rows = await management.any(sql.type(UnreadRecord)`
    select a.tenant_id, a.hash, a.size, a.content_type, a.created_at
    from artifacts a
    where not a.is_read
    order by a.created_at
    limit ${limit}`);
  return rows.map((row) => ({
    tenantId: row.tenant_id as TenantId,
    hash: row.hash,
    size: row.size,
    contentType: row.content_type,
    createdAt: row.created_at,
  }));
}

export async function noteRead(
  management: Management,
  artifacts: readonly ReadArtifact[],
): Promise<void> {
  await management.any(
    sql.type(DoneRecord)`
      with told as materialized (
        select t."tenantId" as tenant_id, t.hash, t.names
        from json_to_recordset(${JSON.stringify(artifacts)}::json) as t (
          "tenantId" text, hash text, names json
        )
      ),
      read as (
        update artifacts a
        set is_read = true
        from told t
        where a.tenant_id = t.tenant_id
          and a.hash = t.hash
        returning a.tenant_id, a.upload_id, t.names
      )
      insert into artifact_references (tenant_id, hash, holder_id)
      select r.tenant_id, n.hash, r.upload_id
      from read r
      cross join lateral json_array_elements_text(r.names) as n (hash)
      on conflict do nothing
      returning true as done`,
    { writes: true },
  );
}

export async function readStandingReferences(
  management: Management,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const rows = await management.any(sql.type(TextRecord)`
    select d.ir::text as body
    from definitions d
    where d.tenant_id = ${tenantId}
      and strpos(d.ir::text, ${REFERENCE_KEY}) > 0
    union all
    select d.ir::text
    from imported_definitions d
    where d.tenant_id = ${tenantId}
      and strpos(d.ir::text, ${REFERENCE_KEY}) > 0
    union all
    select s.input::text
    from schedules s
    where s.tenant_id = ${tenantId}
      and strpos(s.input::text, ${REFERENCE_KEY}) > 0`);
  return rows.map(({ body }) => body);
}

export async function countUnreadWindows(management: Management): Promise<number> {
  const [row] = await management.any(sql.type(WindowsRecord)`
    select count(*) as windows
    from audit_windows w
    where w.window_number > (select s.window_number from artifact_survey s)`);
  return row?.windows ?? 0;
}
