import { sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';

import { REFERENCE_KEY } from '../../../domain/artifact-reference.ts';
import type { TenantId } from '../../../domain/ids.ts';
import {
  UNDER_WAY_MS_MAX,
  UNREAD_MS_MAX,
  type ReadArtifact,
  type UnusedArtifactStore,
  type UnusedSelection,
} from '../../unused-artifacts.ts';
import { pruneChunks } from './artifacts.ts';
import { appendAuditOf } from '../audit/append.ts';
import type { PostgresPool } from '../connection/connect.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const TenantRecord = z.object({ tenant_id: z.string().nullable() });
const SpanRecord = z.object({
  read_to: z.int(),
  window_number: z.int(),
  windows: z.int(),
  covers_from: z.string(),
  covers_to: z.string(),
});
const DoneRecord = z.object({ done: z.boolean() });
const TextRecord = z.object({ body: z.string() });
const CountRecord = z.object({ artifacts: z.int(), bytes: z.int() });
const RemovedRecord = CountRecord.extend({ looked: z.int() });
const WindowsRecord = z.object({ windows: z.int() });
const UnreadRecord = z.object({
  tenant_id: z.string(),
  hash: z.string(),
  size: z.int(),
  content_type: z.string(),
  created_at: z.string(),
});
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
    async nextTenant(after) {
      const [row] = await management.any(sql.type(TenantRecord)`
        select min(a.tenant_id) as tenant_id
        from artifacts a
        where a.tenant_id > ${after ?? ''}`);
      return (row?.tenant_id ?? null) as TenantId | null;
    },

    readEvents: (params) => readEvents(management, params),

    async listUnread({ limit }) {
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
    },

    noteRead: (artifacts) => noteRead(management, artifacts),

    async standingReferences(tenantId) {
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
    },

    remove: (params) => remove(management, params),

    async count(params) {
      const [row] = await management.any(sql.type(CountRecord)`
        select count(*) as artifacts, coalesce(sum(a.size), 0)::int8 as bytes
        from artifacts a
        where ${isUnused(params)}
          and not exists (
            select
            from artifact_references r
            where r.tenant_id = a.tenant_id
              and r.hash = a.hash
          )`);
      return row ?? { artifacts: 0, bytes: 0 };
    },

    async unreadWindows() {
      const [row] = await management.any(sql.type(WindowsRecord)`
        select count(*) as windows
        from audit_windows w
        where w.window_number > (select s.window_number from artifact_survey s)`);
      return row?.windows ?? 0;
    },

    async heldBy(executionIds) {
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
    },

    deleteChunks: () => pruneChunks(readers),
  };
}

/**
 * Of two that read the same windows, one moves on; what both have written is the same. An execution is
 * locked against its removal meanwhile, so that nothing is kept of one that is gone.
 */
async function readEvents(
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

async function noteRead(management: Management, artifacts: readonly ReadArtifact[]): Promise<void> {
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

async function remove(
  management: Management,
  params: Parameters<UnusedArtifactStore['remove']>[0],
): ReturnType<UnusedArtifactStore['remove']> {
  const { tenantId, limit, actorId } = params;
  const entry = { tenantId, executionId: null, eventType: 'artifacts_removed', actorId };
  const [row] = await management.any(
    sql.type(RemovedRecord)`
      with due as materialized (
        select a.hash
        from artifacts a
        where ${isUnused(params)}
        order by a.unused_since
        limit ${limit}
        for update skip locked
      ),
      held as materialized (
        select distinct r.hash
        from artifact_references r
        where r.tenant_id = ${tenantId}
          and r.hash = any(array(select d.hash from due d))
      ),
      kept as (
        update artifacts a
        set unused_since = null
        where a.tenant_id = ${tenantId}
          and a.hash = any(array(select h.hash from held h))
      ),
      removed as (
        delete from artifacts a
        where a.tenant_id = ${tenantId}
          and a.hash = any(array(
            select d.hash
            from due d
            where not exists (select from held h where h.hash = d.hash)
          ))
        returning a.hash, a.upload_id, a.size
      ),
      given_up as (
        insert into artifact_uploads (upload_id, tenant_id, touched_at)
        select r.upload_id, ${tenantId}, '-infinity'
        from removed r
      ),
      told as materialized (
        select count(*) as artifacts, coalesce(sum(r.size), 0)::int8 as bytes,
          json_agg(r.hash) as hashes
        from removed r
      ),
      audited as (${appendAuditOf(entry, {
        payload: sql.fragment`json_build_object(
          'artifacts', t.artifacts, 'bytes', t.bytes, 'hashes', t.hashes
        )`,
        from: sql.fragment`told t where t.artifacts > 0`,
      })})
      select (select count(*) from due) as looked, t.artifacts, t.bytes
      from told t`,
    { writes: true },
  );
  return row ?? { looked: 0, artifacts: 0, bytes: 0 };
}

/**
 * All that was committed half a day after `unused_since` must have been read: events up to the end of a
 * window, or all there are, and contents. Of artifacts `a`.
 */
function isUnused({ tenantId, unusedMs, except }: UnusedSelection): FragmentSqlToken {
  return sql.fragment`
    a.tenant_id = ${tenantId}
    and a.hash <> all(${sql.array([...except], 'text')})
    and a.unused_since <= least(
      clock_timestamp() - ${unusedMs}::int8 * interval '1 millisecond',
      (select min(u.created_at) from artifacts u where not u.is_read)
        - ${UNREAD_MS_MAX}::int8 * interval '1 millisecond',
      (
        select case
            when exists (select from audit_windows w where w.window_number > s.window_number)
              or exists (select from events v where v.created_at >= r.read_to)
              then r.read_to
            else clock_timestamp() - ${UNDER_WAY_MS_MAX}::int8 * interval '1 millisecond'
          end
        from artifact_survey s
        cross join lateral (
          select coalesce(max(w.covers_to), '-infinity') as read_to
          from audit_windows w
          where w.window_number = s.window_number
        ) r
      ) - ${UNREAD_MS_MAX}::int8 * interval '1 millisecond'
    )`;
}
