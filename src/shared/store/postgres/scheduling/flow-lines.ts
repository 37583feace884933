import type { TenantId } from '../../../domain/ids.ts';
import type { AwaitedToken } from '../../commit.ts';
import type { FlowStore, WaitedKey, WaitedKeys } from '../../flow.ts';
import { isLive } from '../commit/places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { isBatchFull } from './flow-batch.ts';
import { LIMITED_WAITS } from './limited-waits.ts';

export async function listKeys(
  pool: PostgresPool,
  { limit, lines, batchBytesMax, after }: Parameters<FlowStore['listKeys']>[0],
): Promise<WaitedKeys> {
  const from = [after?.tenantId ?? '', after?.placeKey ?? ''];
  const given = [limit, lines, ...from, batchBytesMax];
  const rows = await pool.run<KeyRecord | LastRecord>(LIST_KEYS, given);
  const last = rows.find((row) => row.has_room === null);
  return {
    keys: rows.filter((row) => row.has_room !== null).map(decodeKey),
    last: last === undefined ? null : { tenantId: last.tenant_id, placeKey: last.place_key },
  };
}

function decodeKey(row: KeyRecord): WaitedKey {
  return {
    tenantId: row.tenant_id,
    placeKey: row.place_key,
    hasRoom: row.has_room,
    hasSurplus: row.has_surplus,
    token: tokenOf(row),
    isDebounced: row.is_debounced,
    isBatched: row.is_batched,
    nextTokenMs: row.next_us / 1_000,
  };
}

function tokenOf(row: KeyRecord): AwaitedToken | null {
  const { bucket_key: key, interval_us: intervalUs, burst, places_key: placesKey } = row;
  if (key === null || intervalUs === null || burst === null) return null;
  return { placesKey, bucket: { key, intervalUs, burst } };
}

interface KeyRecord {
  readonly tenant_id: TenantId;
  readonly place_key: string;
  readonly has_room: boolean;
  readonly has_surplus: boolean;
  readonly is_debounced: boolean;
  readonly is_batched: boolean;
  readonly places_key: string | null;
  readonly bucket_key: string | null;
  readonly interval_us: number | null;
  readonly burst: number | null;
  /** Until the next token; 0: there is one, or none is needed. */
  readonly next_us: number;
}

/** The line after which the next look begins. */
interface LastRecord {
  readonly tenant_id: TenantId;
  readonly place_key: string;
  readonly has_room: null;
}

/**
 * The lines with starts that are due by the clock, wherever they are. Beside them from one line to the next
 * by the index, however many executions wait in each; and the last one, if more may follow. Lines of a
 * workflow that is paused are not among them: executions that begin are held, and would have a place and a token.
 */
const LIST_KEYS: Statement = {
  name: 'list-waited-keys',
  writes: false,
  text: `
    with recursive waited as (
      (
        select w.tenant_id, w.place_key, w.places_max, w.places_key, w.bucket_key, w.interval_us,
          w.burst, w.seq, w.batch_bytes, w.due_at, 1 as nth
        from ${LIMITED_WAITS} w
        where (w.tenant_id, w.place_key) > ($3::text, $4::text)
        order by w.tenant_id, w.place_key, w.seq
        limit 1
      )
      union all
      select n.*, k.nth + 1
      from waited k
      cross join lateral (
        select w.tenant_id, w.place_key, w.places_max, w.places_key, w.bucket_key, w.interval_us,
          w.burst, w.seq, w.batch_bytes, w.due_at
        from ${LIMITED_WAITS} w
        where (w.tenant_id, w.place_key) > (k.tenant_id, k.place_key)
        order by w.tenant_id, w.place_key, w.seq
        limit 1
      ) n
      where k.nth < $2
    ),
    due as materialized (
      select d.tenant_id, d.place_key
      from (
        select w.tenant_id, w.place_key
        from flow_waits w
        where w.due_at <= now()
        order by w.due_at
        limit $1
      ) d
      group by d.tenant_id, d.place_key
    ),
    looked as (
      select k.tenant_id, k.place_key, k.places_max, k.places_key, k.bucket_key, k.interval_us,
        k.burst, k.seq, k.batch_bytes, k.due_at
      from waited k
      union
      select h.*
      from due d
      cross join lateral (
        select w.tenant_id, w.place_key, w.places_max, w.places_key, w.bucket_key, w.interval_us,
          w.burst, w.seq, w.batch_bytes, w.due_at
        from ${LIMITED_WAITS} w
        where w.tenant_id = d.tenant_id
          and w.place_key = d.place_key
        order by w.seq
        limit 1
      ) h
    ),
    line as (
      select k.*,
        k.due_at is not null or k.places_max is null or k.places_max > (
          select count(*)
          from flow_places p
          where p.tenant_id = k.tenant_id
            and p.place_key = coalesce(k.places_key, k.place_key)
            and ${isLive('p')}
        ) as has_room,
        n.due_at is not null as is_debounced,
        k.batch_bytes is not null as is_batched,
        greatest(0, coalesce(
          case when k.batch_bytes is not null and ${isBatchFull('k', '$5')} then 0 end,
          ceil(extract(epoch from coalesce(n.due_at, k.due_at) - clock_timestamp()) * 1000000)::int8,
          (
            -- More than one interval: a slower rate has emptied it, and the admission bounds it.
            select case when t.next_us > k.interval_us then 0 else t.next_us end
            from quota_buckets b
            cross join lateral (
              select b.full_at_us + k.interval_us - k.burst * k.interval_us
                - floor(extract(epoch from clock_timestamp()) * 1000000)::int8 as next_us
            ) t
            where b.bucket_key = k.bucket_key
          ),
          0
        )) as next_us,
        case when n.seq is null then false else n.places_max < (
          select count(*)
          from flow_places p
          where p.tenant_id = k.tenant_id
            and p.place_key = k.place_key
            and not p.is_leaving
            and ${isLive('p')}
        ) + (
          select count(*)
          from (
            select
            from flow_waits w
            where w.tenant_id = k.tenant_id
              and w.place_key = k.place_key
              and w.seq <= n.seq
              and ${isLive('w')}
            limit n.places_max + 1
          ) waiting
        ) end as has_surplus
      from looked k
      left join lateral (
        select c.seq, c.places_max, c.due_at
        from ${LIMITED_WAITS} c
        where c.tenant_id = k.tenant_id
          and c.place_key = k.place_key
          and c.cancels_oldest
        order by c.seq desc
        limit 1
      ) n on true
      where not exists (select from tenants t where t.id = k.tenant_id and t.status <> 'active')
        and not exists (
          select
          from workflow_pauses p
          where p.tenant_id = k.tenant_id
            and p.workflow_id = k.place_key::json ->> 0
            and p.resumed_at is null
        )
    )
    (
      select l.tenant_id, l.place_key, l.has_room, l.has_surplus, l.is_debounced, l.is_batched,
        l.places_key, l.bucket_key, l.interval_us, l.burst, l.next_us
      from line l
      order by l.has_room and l.next_us = 0 desc, l.has_surplus desc, l.seq
      limit $1
    )
    union all
    select k.tenant_id, k.place_key, null, null, null, null, null, null, null, null, null
    from waited k
    where k.nth = $2`,
};
