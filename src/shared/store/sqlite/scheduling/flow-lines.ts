import type { TenantId } from '../../../domain/ids.ts';
import { CONCURRENCY_MAX } from '../../../domain/workflow/flow/concurrency.ts';
import type { AwaitedToken } from '../../commit.ts';
import {
  type FlowStore,
  mayBegin,
  type LineName,
  type WaitedKey,
  type WaitedKeys,
} from '../../flow.ts';
import type { Connection } from '../connection/connect.ts';
import { openBucket } from './buckets.ts';
import { isBatchFull } from './flow-batch.ts';
import { LIMITED_WAITS } from './limited-waits.ts';

/** See `LIST_KEYS` of PostgreSQL. */
export function listKeys(
  connection: Connection,
  { limit, lines, batchBytesMax: bytesMax, after }: Parameters<FlowStore['listKeys']>[0],
): WaitedKeys {
  const last = lastLine(connection, { lines, after });
  const rows = connection.all<KeyRow>(
    `with waited as (
       select tenant_id, place_key, min(seq) as seq
       from flow_waits
       where (tenant_id, place_key) > (:tenant_id, :place_key)
       group by tenant_id, place_key
       order by tenant_id, place_key
       limit :lines
     ),
     due as (
       select distinct tenant_id, place_key
       from (
         select tenant_id, place_key
         from flow_waits
         where due_at <= :now
         order by due_at
         limit :limit
       )
     ),
     looked as (
       select tenant_id, place_key, seq
       from waited
       union
       select d.tenant_id, d.place_key, (
         select w.seq
         from flow_waits w
         where w.tenant_id = d.tenant_id and w.place_key = d.place_key
         order by w.seq
         limit 1
       )
       from due d
     )
     select h.tenant_id as tenantId, h.place_key as placeKey, h.seq, h.places_key as placesKey,
       h.bucket_key as bucketKey, h.interval_us as intervalUs, h.burst,
       coalesce(n.due_at, h.due_at) as dueAt, h.batch_bytes is not null as isBatched,
       h.due_at is not null or h.places_max is null or h.places_max > (
         select count(*)
         from flow_places p
         join executions e on e.id = p.execution_id
         where p.tenant_id = h.tenant_id
           and p.place_key = coalesce(h.places_key, h.place_key)
           and e.status in ('running', 'paused')
       ) as hasRoom, coalesce(n.places_max < (
         select count(*)
         from flow_places p
         join executions e on e.id = p.execution_id
         where p.tenant_id = n.tenant_id
           and p.place_key = n.place_key
           and p.is_leaving = 0
           and e.status in ('running', 'paused')
       ) + (
         select count(*)
         from (
           select 1
           from flow_waits w
           join executions e on e.id = w.execution_id
           where w.tenant_id = n.tenant_id
             and w.place_key = n.place_key
             and w.seq <= n.seq
             and e.status in ('running', 'paused')
           -- SQLite has no limit by a column.
           limit ${CONCURRENCY_MAX + 1}
         )
       ), 0) as hasSurplus
     from looked k
     join ${LIMITED_WAITS} h on h.seq = k.seq
     left join ${LIMITED_WAITS} n on n.seq = (
       select c.seq
       from flow_waits c
       where c.tenant_id = k.tenant_id and c.place_key = k.place_key and c.cancels_oldest = 1
       order by c.seq desc
       limit 1
     )
     where not exists (
       select 1 from tenants t where t.id = h.tenant_id and t.status <> 'active'
     )
       and not exists (
         select 1
         from workflow_pauses p
         where p.tenant_id = h.tenant_id
           and p.workflow_id = h.place_key ->> 0
           and p.resumed_at is null
       )
     order by h.seq`,
    {
      tenant_id: after?.tenantId ?? '',
      place_key: after?.placeKey ?? '',
      lines,
      limit,
      now: connection.now(),
    },
  );
  const keys = rows.map(({ tenantId, placeKey, hasRoom, hasSurplus, ...row }) => {
    const token = tokenOf(row);
    const states = { hasRoom: hasRoom === 1, hasSurplus: hasSurplus === 1 };
    const isBatched = row.isBatched === 1;
    const isDebounced = row.dueAt !== null && !isBatched;
    const isFull = isBatched && isBatchFull(connection, { tenantId, placeKey, bytesMax });
    return {
      tenantId,
      placeKey,
      ...states,
      token,
      isDebounced,
      isBatched,
      nextTokenMs: isFull ? 0 : nextMsOf(connection, token, row.dueAt),
    };
  });
  const rank = (key: WaitedKey) => (mayBegin(key) ? 0 : key.hasSurplus ? 1 : 2);
  return { keys: keys.toSorted((one, other) => rank(one) - rank(other)).slice(0, limit), last };
}

function lastLine(
  connection: Connection,
  { lines, after }: { readonly lines: number; readonly after: LineName | undefined },
): LineName | null {
  const row = connection.get<LineName>(
    `select tenant_id as tenantId, place_key as placeKey
     from flow_waits
     where (tenant_id, place_key) > (?, ?)
     group by tenant_id, place_key
     order by tenant_id, place_key
     limit 1 offset ?`,
    [after?.tenantId ?? '', after?.placeKey ?? '', lines - 1],
  );
  return row ?? null;
}

function nextMsOf(
  connection: Connection,
  token: AwaitedToken | null,
  dueAt: number | null,
): number {
  if (dueAt !== null) return Math.max(0, dueAt - connection.now());
  if (token === null) return 0;
  const { nextTokenMs } = openBucket(connection, token.bucket).take(0);
  // Otherwise a slower rate has emptied it, and the admission bounds it.
  return nextTokenMs * 1_000 <= token.bucket.intervalUs ? nextTokenMs : 0;
}

function tokenOf(
  row: Omit<KeyRow, 'tenantId' | 'placeKey' | 'hasRoom' | 'hasSurplus'>,
): AwaitedToken | null {
  const { bucketKey: key, intervalUs, burst, placesKey } = row;
  if (key === null || intervalUs === null || burst === null) return null;
  return { placesKey, bucket: { key, intervalUs, burst } };
}

interface KeyRow {
  readonly tenantId: TenantId;
  readonly placeKey: string;
  readonly hasRoom: number;
  readonly hasSurplus: number;
  readonly dueAt: number | null;
  readonly isBatched: number;
  readonly seq: number;
  readonly placesKey: string | null;
  readonly bucketKey: string | null;
  readonly intervalUs: number | null;
  readonly burst: number | null;
}
