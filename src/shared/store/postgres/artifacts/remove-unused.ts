import { sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';

import {
  UNDER_WAY_MS_MAX,
  UNREAD_MS_MAX,
  type UnusedArtifactStore,
  type UnusedSelection,
} from '../../unused-artifacts.ts';
import { appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const CountRecord = z.object({ artifacts: z.int(), bytes: z.int() });
const RemovedRecord = CountRecord.extend({ looked: z.int() });

export async function removeUnused(
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

export async function countUnused(
  management: Management,
  params: UnusedSelection,
): ReturnType<UnusedArtifactStore['count']> {
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
}

/**
 * The condition on artifacts `a`. The survey must have read everything that was committed up to half a
 * day after `unused_since`: contents, and events up to the end of a window, or all events.
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
