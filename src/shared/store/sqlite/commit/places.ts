import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { AwaitedPlace, CommitPlan, PlaceOfKey } from '../../commit.ts';
import { lineOf, type WaitLine, writeLine } from '../../rows/wait-line.ts';
import type { Connection } from '../connection/connect.ts';

/** Whether the executions that have places of the key, or wait for one, are as many as may run. */
export function arePlacesTaken(
  connection: Connection,
  tenantId: TenantId,
  { placeKey, placesMax }: PlaceOfKey,
): boolean {
  const row = connection.get<{ readonly occupied: number }>(
    `select count(*) as occupied
     from (
       select 1
       from (
         select execution_id
         from flow_places
         where tenant_id = :tenant_id and place_key = :place_key
         union all
         select execution_id
         from flow_waits
         where tenant_id = :tenant_id and place_key = :place_key
       ) o
       join executions e on e.id = o.execution_id
       where e.status in ('running', 'paused')
       limit :places_max
     )`,
    { tenant_id: tenantId, place_key: placeKey, places_max: placesMax },
  );
  return (row?.occupied ?? 0) >= placesMax;
}

/** Makes the new execution the last that waits for a place of the key. */
export function awaitPlace(connection: Connection, plan: CommitPlan, since: number): void {
  const { executionId, tenantId, create, entersQueue } = plan;
  const awaited = create?.awaitsPlace ?? entersQueue;
  if (awaited === undefined) return;
  const { debounce, batch } = awaited;
  const shard = create?.shard ?? entersQueue?.shard ?? null;
  const { keepsLimit = false, keepsRate = false } = awaited;
  insertWait(connection, {
    executionId,
    tenantId,
    shard,
    since,
    line: lineOf(awaited),
    keeps: { limit: keepsLimit, rate: keepsRate },
  });
  if (batch !== undefined) {
    connection.run('update flow_waits set due_at = ?, batch_bytes = ? where execution_id = ?', [
      since + batch.waitMs,
      batch.bytes,
      executionId,
    ]);
  }
  if (debounce === undefined) return;
  const firstAt = findFirst(connection, plan, awaited) ?? since;
  connection.run(
    `update flow_waits
     set first_at = ?, due_at = ?, next_line = ?
     where execution_id = ?`,
    [
      firstAt,
      Math.min(since + debounce.waitMs, firstAt + (debounce.maxWaitMs ?? Infinity)),
      writeLine(debounce.next),
      executionId,
    ],
  );
}

/** See `TenantLine`. */
export function joinTenantLine(connection: Connection, plan: CommitPlan, since: number): void {
  const { executionId, tenantId, tenantLine } = plan;
  if (tenantLine === undefined) return;
  const { state, shard, isNew } = tenantLine;
  const row = { execution_id: executionId, state, since };
  const moved = connection.run(
    `update child_places
     set state = :state,
       since = :since,
       seq = (select max(seq) + 1 from child_places)
     where execution_id = :execution_id and state = 'later'`,
    row,
  );
  if (!isNew || moved > 0) return;
  connection.run(
    `insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
     values (:execution_id, :tenant_id, null, :shard, :state, :since)
     on conflict (execution_id) do nothing`,
    { ...row, tenant_id: tenantId, shard },
  );
}

/**
 * An execution that waits already becomes the last of another line. Its row stays, because one that leaves the
 * table joins the line of its tenant.
 */
export function insertWait(
  connection: Connection,
  of: {
    readonly executionId: ExecutionId;
    readonly tenantId: TenantId;
    readonly shard: number | null;
    readonly since: number;
    readonly line: WaitLine;
    /** See `AwaitedPlace`: the same in all lines of an execution. Absent: the row exists. */
    readonly keeps?: { readonly limit: boolean; readonly rate: boolean };
  },
): void {
  const { executionId, tenantId, shard, since, line, keeps } = of;
  connection.run(
    `insert into flow_waits (
       execution_id, tenant_id, place_key, places_max, shard, since, places_key, bucket_key,
       interval_us, burst, cancels_oldest, keeps_limit, keeps_rate
     )
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (execution_id) do update
     set place_key = excluded.place_key,
       places_max = excluded.places_max,
       since = excluded.since,
       places_key = excluded.places_key,
       bucket_key = excluded.bucket_key,
       interval_us = excluded.interval_us,
       burst = excluded.burst,
       cancels_oldest = excluded.cancels_oldest,
       first_at = null,
       due_at = null,
       next_line = null,
       batch_bytes = null,
       seq = (select max(seq) + 1 from flow_waits)`,
    [
      executionId,
      tenantId,
      line.place_key,
      line.places_max,
      shard,
      since,
      line.places_key,
      line.bucket_key,
      line.interval_us,
      line.burst,
      line.cancels_oldest ? 1 : 0,
      keeps?.limit === true ? 1 : 0,
      keeps?.rate === true ? 1 : 0,
    ],
  );
}

/** The first start of those that wait in the line; null: none waits. */
function findFirst(
  connection: Connection,
  { tenantId }: CommitPlan,
  { placeKey }: AwaitedPlace,
): number | null {
  const row = connection.get<{ readonly firstAt: number | null }>(
    'select min(first_at) as firstAt from flow_waits where tenant_id = ? and place_key = ?',
    [tenantId, placeKey],
  );
  return row?.firstAt ?? null;
}

/** Gives the new execution the lowest number that no live execution has. */
export function takePlace(
  connection: Connection,
  { tenantId, executionId }: CommitPlan,
  { placeKey }: PlaceOfKey,
): void {
  vacatePlaces(connection, tenantId, placeKey);
  const [place] = freePlaces(connection, { tenantId, placeKey, count: 1 });
  connection.run(
    `insert into flow_places (tenant_id, place_key, place, execution_id, taken_at)
     values (?, ?, ?, ?, ?)`,
    [tenantId, placeKey, place ?? null, executionId, connection.now()],
  );
}

/** Takes back the places of what has ended. */
export function vacatePlaces(connection: Connection, tenantId: TenantId, placeKey: string): void {
  connection.run(
    `delete from flow_places
     where tenant_id = ?
       and place_key = ?
       and not exists (
         select 1
         from executions e
         where e.id = flow_places.execution_id and e.status in ('running', 'paused')
       )`,
    [tenantId, placeKey],
  );
}

/** The lowest numbers that are free. */
export function freePlaces(
  connection: Connection,
  of: { readonly tenantId: TenantId; readonly placeKey: string; readonly count: number },
): readonly number[] {
  const taken = new Set(
    connection
      .all<{ readonly place: number }>(
        'select place from flow_places where tenant_id = ? and place_key = ?',
        [of.tenantId, of.placeKey],
      )
      .map(({ place }) => place),
  );
  const free: number[] = [];
  for (let place = 1; free.length < of.count; place += 1) {
    if (!taken.has(place)) free.push(place);
  }
  return free;
}
