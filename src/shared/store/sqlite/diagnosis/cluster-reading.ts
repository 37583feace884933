import type { WorkQueue } from '../../../domain/work/work-item.ts';
import {
  DUE_LOOKED_AT_MAX,
  FLOW_WAITS_SHARE,
  QUEUES,
  type ClusterReading,
  type FlowWaitKind,
  type LiveStatus,
  type MemoryReading,
  type QueueReading,
  type ReadingBounds,
} from '../../readings/cluster-reading.ts';
import type { Bindings, Connection, NamedBindings } from '../connection/connect.ts';
import { TENANT_IS_ACTIVE } from '../rows.ts';
import type { DueColumn } from './installation-facts.ts';

export function readCluster(connection: Connection, bounds: ReadingBounds): ClusterReading {
  const now = connection.now();
  return {
    queues: readQueues(connection, bounds, now),
    executions: readLive(connection, bounds),
    waitingChildren: countRows(connection, bounds, `child_places where state = 'waiting'`),
    waitingInFlow: countFlowWaits(connection, bounds),
    waitingForQuota: countRows(
      connection,
      bounds,
      `work_queue where queue_name is not null and instr(queue_key, '#') > 0`,
    ),
    lateMs: {
      lease: readLate(connection, { table: 'work_leases', column: 'expires_at', now }),
      timer: readLate(connection, { table: 'timers', column: 'due_at', now }),
      retry: readLate(connection, { table: 'retry_timers', column: 'due_at', now }),
    },
    memory: connection.all<MemoryReading>(
      `select t.limits ->> 'memory_tier' as tier, sum(u.live) as live, max(u.added) as addedMax
       from (select tenant_id, live, added from memory_usage order by tenant_id limit :rows) u
       left join tenants t on t.id = u.tenant_id
       group by 1`,
      { rows: bounds.rows },
    ),
  };
}

function countRows(connection: Connection, { rows }: ReadingBounds, from: string): number {
  const row = connection.get<{ readonly waiting: number }>(
    `select count(*) as waiting
     from (select 1 from ${from} limit :rows)`,
    { rows },
  );
  return row?.waiting ?? 0;
}

function countFlowWaits(
  connection: Connection,
  { rows }: ReadingBounds,
): Readonly<Record<FlowWaitKind, number>> {
  const counted = connection.get<Readonly<Record<FlowWaitKind, number>>>(
    `select count(batch_bytes) as batch,
       count(*) filter (where due_at is not null and batch_bytes is null) as debounce,
       count(*) filter (where due_at is null and places_max is null) as rate,
       count(*) filter (where due_at is null and places_max is not null) as concurrency
     from (select due_at, places_max, batch_bytes from flow_waits limit :rows)`,
    { rows: FLOW_WAITS_SHARE * rows },
  );
  return counted ?? { concurrency: 0, rate: 0, debounce: 0, batch: 0 };
}

type Place = { readonly queue_key: string; readonly priority: number };

function readQueues(
  connection: Connection,
  { rows, groups }: ReadingBounds,
  now: number,
): readonly QueueReading[] {
  const places = leap<Place>(connection, groups, {
    first: `select queue_key, priority
      from work_queue
      order by queue_key, priority
      limit 1`,
    next: `select queue_key, priority
      from work_queue
      where (queue_key, priority) > (:queue_key, :priority)
      order by queue_key, priority
      limit 1`,
  });
  const isEngine = ({ queue_key: key }: Place): boolean => key === 'engine';
  const ofEngine = shareOf(rows, places.filter(isEngine));
  const ofWorkers = shareOf(
    rows,
    places.filter((place) => !isEngine(place)),
  );
  const waiting = places.flatMap((place) => {
    const oldest = connection.get<{ readonly queue: WorkQueue; readonly enqueued_at: number }>(
      `select queue, enqueued_at
       from (
         select queue, tenant_id, enqueued_at
         from work_queue
         where queue_key = :queue_key and priority = :priority
         order by seq
         limit :looked_at
       )
       where ${TENANT_IS_ACTIVE}
       limit 1`,
      { ...place, looked_at: isEngine(place) ? DUE_LOOKED_AT_MAX : 1 },
    );
    // Below a quota an item does not wait for the engine.
    if (oldest === undefined || (oldest.queue === 'engine' && !isEngine(place))) return [];
    const items = count(
      connection,
      `select count(*) as found
       from (
         select 1
         from work_queue
         where queue_key = :queue_key and priority = :priority
         limit :limit
       )`,
      { ...place, limit: isEngine(place) ? ofEngine : ofWorkers },
    );
    return [{ ...oldest, items }];
  });
  const leased = connection.all<{ readonly queue: WorkQueue; readonly items: number }>(
    `select queue, count(*) as items
     from (select queue from work_leases limit :rows)
     group by queue`,
    { rows },
  );
  return QUEUES.map((queue) => {
    const own = waiting.filter((place) => place.queue === queue);
    const oldestAt = Math.min(...own.map((place) => place.enqueued_at));
    return {
      queue,
      waiting: own.reduce((sum, { items }) => sum + items, 0),
      oldestMs: own.length === 0 ? null : Math.max(0, now - oldestAt),
      leased: leased.find((read) => read.queue === queue)?.items ?? 0,
    };
  });
}

type Owner = { readonly tenant_id: string };

function readLive(
  connection: Connection,
  { rows, groups }: ReadingBounds,
): Readonly<Record<LiveStatus, number>> {
  const owners = leap<Owner>(connection, groups, {
    first: 'select tenant_id from executions order by tenant_id limit 1',
    next: `select tenant_id
      from executions
      where tenant_id > :tenant_id
      order by tenant_id
      limit 1`,
  });
  const limit = shareOf(rows, owners);
  const live = (status: LiveStatus): number =>
    owners.reduce(
      (sum, owner) =>
        sum +
        count(
          connection,
          `select count(*) as found
           from (
             select 1
             from executions
             where tenant_id = :tenant_id and status = :status
             limit :limit
           )`,
          { ...owner, status, limit },
        ),
      0,
    );
  return { running: live('running'), paused: live('paused') };
}

/** By how much the oldest that is due is late; nothing is done for tenants that are not active. */
function readLate(
  connection: Connection,
  { table, column, now }: DueColumn & { readonly now: number },
): number {
  const row = connection.get<{ readonly due_at: number }>(
    `select due_at
     from (
       select tenant_id, ${column} as due_at
       from ${table}
       order by ${column}
       limit :looked_at
     )
     where ${TENANT_IS_ACTIVE}
     limit 1`,
    { looked_at: DUE_LOOKED_AT_MAX },
  );
  return row === undefined ? 0 : Math.max(0, now - row.due_at);
}

/** From group to group through an index, each by the one before it. */
function leap<Group extends NamedBindings>(
  connection: Connection,
  groupsMax: number,
  sql: { readonly first: string; readonly next: string },
): readonly Group[] {
  const groups: Group[] = [];
  let group = connection.get<Group>(sql.first);
  while (group !== undefined && groups.length < groupsMax) {
    groups.push(group);
    group = connection.get<Group>(sql.next, group);
  }
  return groups;
}

/** The most rows to count in one group. */
function shareOf(rows: number, groups: readonly unknown[]): number {
  return Math.max(1, Math.floor(rows / Math.max(1, groups.length)));
}

function count(connection: Connection, sql: string, bindings: Bindings): number {
  return connection.get<{ readonly found: number }>(sql, bindings)?.found ?? 0;
}
