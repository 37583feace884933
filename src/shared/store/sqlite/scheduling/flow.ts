import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import { type AdmittedExecution, type FlowStore, HOLDERS_MAX } from '../../flow.ts';
import { AHEAD_MAX } from '../../places.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function createFlowStore(connection: Connection): FlowStore {
  return {
    listKeys: ({ limit }) => connection.read(() => listKeys(connection, limit)),
    admit: (params) => connection.write(() => admit(connection, params)),
    find: (executionId) => connection.read(() => find(connection, executionId)),
  };
}

type AdmitParams = Parameters<FlowStore['admit']>[0];

interface Waiting {
  readonly executionId: ExecutionId;
  readonly shard: number;
  readonly since: number;
}

function listKeys(
  connection: Connection,
  limit: number,
): Awaited<ReturnType<FlowStore['listKeys']>> {
  return connection
    .all<{ readonly tenantId: TenantId; readonly placeKey: string; readonly hasRoom: number }>(
      `with waited as (
         select tenant_id, place_key, min(seq) as seq
         from flow_waits
         group by tenant_id, place_key
       )
       select h.tenant_id as tenantId, h.place_key as placeKey, h.places_max > (
         select count(*)
         from flow_places p
         join executions e on e.id = p.execution_id
         where p.tenant_id = h.tenant_id
           and p.place_key = h.place_key
           and e.status in ('running', 'paused')
       ) as hasRoom
       from waited k
       join flow_waits h on h.seq = k.seq
       where not exists (
         select 1 from tenants t where t.id = h.tenant_id and t.status <> 'active'
       )
       order by hasRoom desc
       limit ?`,
      [limit],
    )
    .map((row) => ({ ...row, hasRoom: row.hasRoom === 1 }));
}

/** See `ADMIT` of PostgreSQL. */
function admit(connection: Connection, params: AdmitParams): readonly AdmittedExecution[] {
  const { tenantId, placeKey } = params;
  const of = { tenant_id: tenantId, place_key: placeKey };
  connection.run(
    `delete from flow_places
     where tenant_id = :tenant_id
       and place_key = :place_key
       and not exists (
         select 1
         from executions e
         where e.id = flow_places.execution_id and e.status in ('running', 'paused')
       )`,
    of,
  );
  const free = findFree(connection, params);
  const waiting = connection.all<Waiting & { readonly isLive: number }>(
    `select w.execution_id as executionId, w.shard, w.since, exists (
       select 1
       from executions e
       where e.id = w.execution_id and e.status in ('running', 'paused')
     ) as isLive
     from flow_waits w
     where w.tenant_id = :tenant_id and w.place_key = :place_key
     order by w.seq
     limit :limit`,
    { ...of, limit: free.length },
  );
  for (const { executionId } of waiting) {
    connection.run('delete from flow_waits where execution_id = ?', [executionId]);
  }
  const live = waiting.filter(({ isLive }) => isLive === 1);
  const now = connection.now();
  return live.map(({ executionId, shard, since }, index) => {
    connection.run(
      `insert into flow_places (tenant_id, place_key, place, execution_id) values (?, ?, ?, ?)`,
      [tenantId, placeKey, free[index] ?? null, executionId],
    );
    connection.run(
      `insert into runnable (execution_id, shard)
       values (?, ?)
       on conflict (execution_id) do nothing`,
      [executionId, shard],
    );
    return { executionId, shard, waitedMs: now - since };
  });
}

/** The lowest numbers that are free, as many as the limit of the longest wait has room for. */
function findFree(
  connection: Connection,
  { tenantId, placeKey, limit }: AdmitParams,
): readonly number[] {
  const head = connection.get<{ readonly placesMax: number }>(
    `select places_max as placesMax
     from flow_waits
     where tenant_id = ? and place_key = ?
     order by seq
     limit 1`,
    [tenantId, placeKey],
  );
  if (head === undefined) return [];
  const taken = new Set(
    connection
      .all<{ readonly place: number }>(
        'select place from flow_places where tenant_id = ? and place_key = ?',
        [tenantId, placeKey],
      )
      .map(({ place }) => place),
  );
  const room = Math.min(limit, head.placesMax - taken.size);
  const free: number[] = [];
  for (let place = 1; free.length < room; place += 1) {
    if (!taken.has(place)) free.push(place);
  }
  return free;
}

function find(
  connection: Connection,
  executionId: ExecutionId,
): Awaited<ReturnType<FlowStore['find']>> {
  const row = connection.get<{
    readonly tenantId: TenantId;
    readonly placeKey: string;
    readonly placesMax: number;
    readonly since: number;
    readonly ahead: number;
  }>(
    `select tenant_id as tenantId, place_key as placeKey, places_max as placesMax, since, (
       select count(*)
       from (
         select 1
         from flow_waits o
         where o.tenant_id = w.tenant_id and o.place_key = w.place_key and o.seq < w.seq
         limit :limit
       )
     ) as ahead
     from flow_waits w
     where execution_id = :execution_id`,
    { execution_id: executionId, limit: AHEAD_MAX },
  );
  if (row === undefined) return null;
  const { tenantId, placeKey, placesMax, ahead } = row;
  const holders = connection.all<{ readonly id: ExecutionId }>(
    `select execution_id as id
     from flow_places
     where tenant_id = ? and place_key = ?
     order by place
     limit ?`,
    [tenantId, placeKey, HOLDERS_MAX],
  );
  const since = toIso(row.since);
  return { placeKey, placesMax, since, ahead, holders: holders.map(({ id }) => id) };
}
