import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { Bucket } from '../../../domain/work/quota.ts';
import type { AwaitedLine } from '../../commit.ts';
import {
  type AdmittedExecution,
  type FlowStore,
  HOLDERS_MAX,
  type LineName,
  type PacedBeginnings,
} from '../../flow.ts';
import { AHEAD_MAX, type WaitBounds } from '../../places.ts';
import { freePlaces, vacatePlaces } from '../commit/places.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { boundBucket, openBucket } from './buckets.ts';
import { markRunnable } from './mark-runnable.ts';
import { findBatch } from './flow-batch.ts';
import { endDebounce } from './flow-debounce.ts';
import { listKeys } from './flow-lines.ts';
import { hasSurplusWaits, listSurplus } from './flow-surplus.ts';
import { LIMITED_WAITS } from './limited-waits.ts';

export function createFlowStore(connection: Connection): FlowStore {
  return {
    listKeys: (params) => connection.read(() => listKeys(connection, params)),
    admit: (params) => connection.write(() => admit(connection, params)),
    admitAtRate: (params) => connection.write(() => admitAtRate(connection, params)),
    findBatch: (params) => connection.write(() => findBatch(connection, params)),
    endDebounce: (params) => connection.write(() => endDebounce(connection, params)),
    listSurplus: (params) => connection.read(() => listSurplus(connection, params)),
    noteLeaving: (executionId) =>
      connection.write(() => {
        connection.run('update flow_places set is_leaving = 1 where execution_id = ?', [
          executionId,
        ]);
      }),
    find: (executionId, bounds) => connection.read(() => find(connection, executionId, bounds)),
    findLine: (executionId) => connection.read(() => findLine(connection, executionId)),
  };
}

type AdmitParams = Parameters<FlowStore['admit']>[0];

interface Waiting {
  readonly executionId: ExecutionId;
  readonly shard: number;
  readonly since: number;
}

/** See `ADMIT` of PostgreSQL. */
function admit(
  connection: Connection,
  { tenantId, placeKey, limit }: AdmitParams,
): readonly AdmittedExecution[] {
  return begin(connection, { tenantId, placeKey, limit, placesKey: placeKey });
}

/** See `admit_flow_at_rate` of PostgreSQL. */
function admitAtRate(
  connection: Connection,
  { token, limit, ...line }: Parameters<FlowStore['admitAtRate']>[0],
): PacedBeginnings {
  const { placesKey } = token;
  const { key: bucketKey } = token.bucket;
  const inForce = { ...token.bucket, ...rateOf(connection, line) };
  boundBucket(connection, inForce);
  const unused = countUnbegun(connection, bucketKey);
  const bucket = openBucket(connection, { ...inForce, unused });
  const count = Math.min(bucket.tokens, limit);
  const admitted =
    count > 0 ? begin(connection, { ...line, limit: count, placesKey, bucketKey }) : [];
  return { admitted, ...bucket.take(admitted.length) };
}

/** It may have changed since the lines were listed. */
function rateOf(
  connection: Connection,
  { tenantId, placeKey }: LineName,
): Partial<Pick<Bucket, 'intervalUs' | 'burst'>> {
  const rate = connection.get<Pick<Bucket, 'intervalUs' | 'burst'>>(
    `select interval_us as intervalUs, burst
     from ${LIMITED_WAITS}
     where tenant_id = ? and place_key = ?
     order by seq
     limit 1`,
    [tenantId, placeKey],
  );
  return rate ?? {};
}

/** Those that have a token of the bucket, see `0055_unbegun_executions.sql` of PostgreSQL. */
function countUnbegun(connection: Connection, bucketKey: string): number {
  const row = connection.get<{ readonly unbegun: number }>(
    `select count(*) as unbegun
     from runnable r
     where r.bucket_key = ?
       and r.admitted_at > ?
       and not exists (
         select 1
         from child_places c
         where c.execution_id = r.execution_id and c.state = 'waiting'
       )`,
    [bucketKey, connection.now() - UNBEGUN_MS],
  );
  return row?.unbegun ?? 0;
}

/** One that cannot begin counts as long. */
const UNBEGUN_MS = 60_000;

/** `placesKey` null: they need no place. `bucketKey` absent: they need no token. */
function begin(
  connection: Connection,
  params: AdmitParams & { readonly placesKey: string | null; readonly bucketKey?: string },
): readonly AdmittedExecution[] {
  const { tenantId, placeKey, placesKey, bucketKey = null } = params;
  if (placesKey !== null) vacatePlaces(connection, tenantId, placesKey);
  if (hasSurplusWaits(connection, params)) return [];
  const free = placesKey === null ? null : findFree(connection, { ...params, placesKey });
  const waiting = connection.all<Waiting & { readonly isLive: number }>(
    `select w.execution_id as executionId, w.shard, w.since, exists (
       select 1
       from executions e
       where e.id = w.execution_id and e.status in ('running', 'paused')
     ) as isLive
     from flow_waits w
     where w.tenant_id = ? and w.place_key = ?
     order by w.seq
     limit ?`,
    [tenantId, placeKey, free?.length ?? params.limit],
  );
  for (const { executionId } of waiting) {
    connection.run('delete from flow_waits where execution_id = ?', [executionId]);
  }
  const live = waiting.filter(({ isLive }) => isLive === 1);
  const now = connection.now();
  return live.map(({ executionId, shard, since }, index) => {
    if (free !== null) {
      connection.run(
        `insert into flow_places (tenant_id, place_key, place, execution_id, taken_at)
         values (?, ?, ?, ?, ?)`,
        [tenantId, placesKey, free[index] ?? null, executionId, now],
      );
    }
    markRunnable(connection, { executionId, shard, bucketKey });
    return { executionId, shard, waitedMs: now - since };
  });
}

/** As many free numbers as the limit of the longest wait has room for. */
function findFree(
  connection: Connection,
  { tenantId, placeKey, placesKey, limit }: AdmitParams & { readonly placesKey: string },
): readonly number[] {
  const head = connection.get<{ readonly room: number }>(
    `select coalesce(places_max, 0) - (
       select count(*)
       from flow_places
       where tenant_id = :tenant_id and place_key = :places_key
     ) as room
     from ${LIMITED_WAITS}
     where tenant_id = :tenant_id and place_key = :place_key
     order by seq
     limit 1`,
    { tenant_id: tenantId, place_key: placeKey, places_key: placesKey },
  );
  if (head === undefined) return [];
  const count = Math.min(limit, head.room);
  return freePlaces(connection, { tenantId, placeKey: placesKey, count });
}

function find(
  connection: Connection,
  executionId: ExecutionId,
  { aheadMax }: WaitBounds = { aheadMax: AHEAD_MAX },
): Awaited<ReturnType<FlowStore['find']>> {
  const row = connection.get<{
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly placesMax: number | null;
    readonly isPaced: number;
    readonly dueAt: number | null;
    readonly batchSize: number | null;
    readonly placesKey: string;
    readonly since: number;
    readonly ahead: number;
  }>(
    `select tenant_id as tenantId, place_key as placeKey, places_max as placesMax,
       bucket_key is not null as isPaced, case
         when batch_bytes is null then due_at
         else (
           select f.due_at
           from flow_waits f
           where f.tenant_id = w.tenant_id and f.place_key = w.place_key
           order by f.seq
           limit 1
         )
       end as dueAt, case
         when batch_bytes is not null then (
           select count(*)
           from flow_waits o
           where o.tenant_id = w.tenant_id and o.place_key = w.place_key
         )
       end as batchSize, coalesce(places_key, place_key) as placesKey, since, (
       select count(*)
       from (
         select 1
         from flow_waits o
         where o.tenant_id = w.tenant_id and o.place_key = w.place_key and o.seq < w.seq
         limit :limit
       )
     ) as ahead
     from ${LIMITED_WAITS} w
     where execution_id = :execution_id`,
    { execution_id: executionId, limit: aheadMax },
  );
  if (row === undefined) return null;
  const { tenantId, placeKey, placesMax, placesKey, ahead } = row;
  const holders = connection.all<{ readonly id: ExecutionId }>(
    `select execution_id as id
     from flow_places
     where tenant_id = ? and place_key = ?
     order by place
     limit ?`,
    [tenantId, placesKey, HOLDERS_MAX],
  );
  const since = toIso(row.since);
  const isPaced = row.isPaced === 1;
  const dueAt = row.dueAt === null ? null : toIso(row.dueAt);
  return {
    placeKey,
    placesMax,
    isPaced,
    dueAt,
    batch: row.batchSize === null ? null : { size: Math.min(row.batchSize, placesMax ?? 0) },
    since,
    ahead,
    holders: holders.map(({ id }) => id),
  };
}

/** See `FIND_LINES` of PostgreSQL. */
function findLine(connection: Connection, executionId: ExecutionId): AwaitedLine | null {
  const row = connection.get<{ readonly roomInKey: number; readonly roomInTenant: number }>(
    `select w.cancels_oldest or not exists (
         select 1
         from flow_waits o
         where o.tenant_id = w.tenant_id and o.place_key = w.place_key and o.seq < w.seq
       ) as roomInKey,
       not exists (
         select 1
         from child_places c
         where c.execution_id = w.execution_id
       ) as roomInTenant
     from flow_waits w
     where w.execution_id = :id
     union all
     select exists (
         select 1
         from flow_places p
         where p.execution_id = c.execution_id
       ), 0
     from child_places c
     where c.execution_id = :id and c.state = 'waiting'`,
    { id: executionId },
  );
  if (row === undefined) return null;
  return { roomInKey: row.roomInKey === 1, roomInTenant: row.roomInTenant === 1 };
}
