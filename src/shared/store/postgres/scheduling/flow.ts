import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { AwaitedLine } from '../../commit.ts';
import { type AdmittedExecution, type FlowStore, HOLDERS_MAX } from '../../flow.ts';
import { AHEAD_MAX } from '../../places.ts';
import { findBatch } from './flow-batch.ts';
import { endDebounce } from './flow-debounce.ts';
import { listKeys } from './flow-lines.ts';
import { listSurplus, noteLeaving } from './flow-surplus.ts';
import { LIMITED_WAITS } from './limited-waits.ts';
import { isLive } from '../commit/places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { gatherReads } from '../connection/gather-reads.ts';
import { toUuid } from '../rows.ts';

export function createFlowStore(pool: PostgresPool): FlowStore {
  const findLine = gatherReads((ids: readonly ExecutionId[]) => findLines(pool, ids));
  return {
    listKeys: (params) => listKeys(pool, params),
    findBatch: (params) => findBatch(pool, params),
    endDebounce: (params) => endDebounce(pool, params),
    listSurplus: (params) => listSurplus(pool, params),
    noteLeaving: (executionId) => noteLeaving(pool, executionId),

    async admit({ tenantId, placeKey, limit }) {
      await pool.run(VACATE, [tenantId, placeKey]);
      const rows = await pool.run<AdmittedRecord>(ADMIT, [tenantId, placeKey, limit]);
      return rows.map(decodeAdmitted);
    },

    async admitAtRate({ tenantId, placeKey, token, limit }) {
      const { placesKey, bucket } = token;
      const [row] = await pool.run<{ readonly admitted: string; readonly next_us: number }>(
        ADMIT_AT_RATE,
        [tenantId, placeKey, placesKey, limit, bucket.key, bucket.intervalUs, bucket.burst],
      );
      if (row === undefined) throw new TypeError('an admission answers with a row');
      const admitted = (JSON.parse(row.admitted) as readonly AdmittedRecord[]).map(decodeAdmitted);
      return { admitted, nextTokenMs: row.next_us / 1_000 };
    },

    async find(executionId, { aheadMax } = { aheadMax: AHEAD_MAX }) {
      const [row] = await pool.run<WaitRecord>(FIND, [toUuid(executionId), aheadMax, HOLDERS_MAX]);
      if (row === undefined) return null;
      const { place_key: placeKey, places_max: placesMax, since, ahead, holders } = row;
      const isPaced = row.is_paced;
      return {
        placeKey,
        placesMax,
        isPaced,
        dueAt: row.due_at,
        batch: row.batch_size === null ? null : { size: row.batch_size },
        since,
        ahead,
        holders: idsIn(holders),
      };
    },

    findLine,
  };
}

/** One answer for each id, in their order. */
async function findLines(
  pool: PostgresPool,
  ids: readonly ExecutionId[],
): Promise<readonly (AwaitedLine | null)[]> {
  const rows = await pool.run<LineRecord>(FIND_LINES, [ids.map(toUuid)]);
  const found = new Map(
    rows.map(({ id, room_in_key: roomInKey, room_in_tenant: roomInTenant }) => [
      executionIdFromUuid(id),
      { roomInKey, roomInTenant },
    ]),
  );
  return ids.map((id) => found.get(id) ?? null);
}

interface LineRecord {
  readonly id: string;
  readonly room_in_key: boolean;
  readonly room_in_tenant: boolean;
}

function decodeAdmitted({ id, shard, waited_ms: waitedMs }: AdmittedRecord): AdmittedExecution {
  return { executionId: executionIdFromUuid(id), shard, waitedMs };
}

function idsIn(uuids: string): readonly ExecutionId[] {
  return uuids
    .split(' ')
    .filter((uuid) => uuid !== '')
    .map(executionIdFromUuid);
}

interface AdmittedRecord {
  readonly id: string;
  readonly shard: number;
  readonly waited_ms: number;
}

interface WaitRecord {
  readonly place_key: string;
  readonly places_max: number | null;
  readonly is_paced: boolean;
  readonly due_at: string | null;
  readonly batch_size: number | null;
  readonly since: string;
  readonly ahead: number;
  /** UUIDs with spaces between. */
  readonly holders: string;
}

/** Names the executions: a start may take over a place meanwhile, and its execution is not in the snapshot. */
const VACATE: Statement = {
  name: 'vacate-flow-places',
  writes: true,
  text: `
    delete from flow_places g
    where g.execution_id = any(array(
      select p.execution_id
      from flow_places p
      where p.tenant_id = $1
        and p.place_key = $2
        and ${isLive('p')} is not true
    ))`,
};

/**
 * A process that gives the same numbers at the same time makes this one skip them. An execution that has
 * ended meanwhile leaves the queue without a place.
 */
const ADMIT: Statement = {
  name: 'admit-to-flow-places',
  writes: true,
  text: `
    with surplus as materialized (
      -- Somebody waits who would begin, and be cancelled at once.
      select
      from (
        select c.seq, c.places_max
        from ${LIMITED_WAITS} c
        where c.tenant_id = $1
          and c.place_key = $2
          and c.cancels_oldest
        order by c.seq desc
        limit 1
      ) n
      where n.places_max < (
        select count(*)
        from (
          select
          from flow_waits w
          where w.tenant_id = $1
            and w.place_key = $2
            and w.seq <= n.seq
            and ${isLive('w')}
          limit n.places_max + 1
        ) waiting
      )
    ),
    room as materialized (
      select h.places_max, greatest(0, least($3::int8, h.places_max - (
        select count(*)
        from flow_places p
        where p.tenant_id = $1
          and p.place_key = $2
      ))) as free
      from (
        select w.places_max
        from ${LIMITED_WAITS} w
        where w.tenant_id = $1
          and w.place_key = $2
        order by w.seq
        limit 1
      ) h
      where not exists (select from surplus)
    ),
    first as materialized (
      select w.execution_id, w.shard, w.seq, w.since, ${isLive('w')} is true as is_live
      from flow_waits w
      where w.tenant_id = $1
        and w.place_key = $2
      order by w.seq
      limit (select r.free from room r)
    ),
    live as materialized (
      select f.execution_id, f.shard, f.since, row_number() over (order by f.seq) as n
      from first f
      where f.is_live
    ),
    free as materialized (
      select g.place, row_number() over (order by g.place) as n
      from room r
      cross join lateral generate_series(1, r.places_max) as g (place)
      where not exists (
        select
        from flow_places p
        where p.tenant_id = $1
          and p.place_key = $2
          and p.place = g.place
      )
      order by g.place
      limit (select r.free from room r)
    ),
    placed as (
      insert into flow_places (tenant_id, place_key, place, execution_id, taken_at)
      select $1, $2, f.place, l.execution_id, now()
      from live l
      join free f on f.n = l.n
      order by f.place
      on conflict do nothing
      returning execution_id
    ),
    gone as (
      delete from flow_waits w
      where w.execution_id = any(array(
        select p.execution_id
        from placed p
        union all
        select f.execution_id
        from first f
        where not f.is_live
      ))
    ),
    marked as (
      insert into runnable (execution_id, shard)
      select l.execution_id, l.shard
      from live l
      where l.execution_id in (select p.execution_id from placed p)
      order by l.execution_id
      on conflict (execution_id) do nothing
    )
    select l.execution_id as id, l.shard,
      (extract(epoch from clock_timestamp() - l.since) * 1000)::int8 as waited_ms
    from live l
    where l.execution_id in (select p.execution_id from placed p)
    order by l.n`,
};

const ADMIT_AT_RATE: Statement = {
  name: 'admit-flow-at-rate',
  writes: true,
  text: `
    select a.admitted, a.next_us
    from admit_flow_at_rate(
      $1::text, $2::text, $3::text, $4::int4, $5::text, $6::int8, $7::int4
    ) a`,
};

const FIND: Statement = {
  name: 'find-flow-wait',
  writes: false,
  text: `
    select w.place_key, w.places_max, w.bucket_key is not null as is_paced,
      case
        when w.batch_bytes is null then w.due_at
        else (
          select f.due_at
          from flow_waits f
          where f.tenant_id = w.tenant_id
            and f.place_key = w.place_key
          order by f.seq
          limit 1
        )
      end as due_at,
      case
        when w.batch_bytes is not null then (
          select count(*)
          from (
            select
            from flow_waits o
            where o.tenant_id = w.tenant_id
              and o.place_key = w.place_key
            limit w.places_max
          ) gathered
        )
      end as batch_size, w.since, (
      select count(*)
      from (
        select
        from flow_waits o
        where o.tenant_id = w.tenant_id
          and o.place_key = w.place_key
          and o.seq < w.seq
        limit $2
      ) earlier
    ) as ahead, array_to_string(array(
      select p.execution_id
      from flow_places p
      where p.tenant_id = w.tenant_id
        and p.place_key = coalesce(w.places_key, w.place_key)
      order by p.place
      limit $3
    ), ' ') as holders
    from ${LIMITED_WAITS} w
    where w.execution_id = $1::uuid`,
};

/** One snapshot: from the line of its key, an execution may move to that of its tenant. */
const FIND_LINES: Statement = {
  name: 'find-awaited-lines',
  writes: false,
  text: `
    select w.execution_id as id, w.cancels_oldest or not exists (
        select
        from flow_waits o
        where o.tenant_id = w.tenant_id
          and o.place_key = w.place_key
          and o.seq < w.seq
      ) as room_in_key,
      (
        select count(*) = 0
        from child_places c
        where c.execution_id = w.execution_id
      ) as room_in_tenant
    from flow_waits w
    where w.execution_id = any($1::uuid[])
    union all
    select c.execution_id, exists (
        select
        from flow_places p
        where p.execution_id = c.execution_id
      ), false
    from unnest($1::uuid[]) as a (id)
    cross join lateral (
      select c.execution_id, c.state
      from child_places c
      where c.execution_id = a.id
      offset 0
    ) c
    where c.state = 'waiting'`,
};
