import type { DefinitionId } from '../../domain/ids.ts';
import type {
  ClaimedItem,
  Claimer,
  ClaimScope,
  JointClaim,
  LeaseRenewal,
  RenewedLease,
} from '../store.ts';
import { queueKeyOf, type ClaimWatermarks, type QueuePosition } from './claim-watermarks.ts';
import type { PostgresPool, Statement } from './connect.ts';
import {
  decodeLease,
  decodeRecord,
  leaseColumns,
  NEXT_FENCE,
  tenantIsActive,
  ticketColumns,
  type LeaseRecord,
  type RecordColumns,
} from './rows.ts';

/*
 * A claim moves rows from `work_queue` to `work_leases` in one statement. It waits for nobody: a row
 * that another transaction holds is left to it. It takes no execution's lock, so a commit that
 * revokes items must reckon with it (see `commit-sql.ts`).
 */

/** One statement for all claimers: what it takes is dealt out to them in their order. */
export async function claimItems(
  pool: PostgresPool,
  watermarks: ClaimWatermarks,
  request: JointClaim,
): Promise<readonly (readonly ClaimedItem[])[]> {
  const keys = queueKeys(request);
  const places = placesOf(request.claimers);
  if (keys.length === 0 || places.length === 0) return request.claimers.map(() => []);
  const scope = request.shards === null ? '' : request.shards.join();
  const starts = keys.map((key) => watermarks.start(key, scope, false));
  const from = { request, keys, scope };
  const claimed = await claimFrom(pool, watermarks, { ...from, places, starts });
  const emptyHanded = withoutItem(places, claimed.length);
  if (emptyHanded.length > 0) {
    const again = keys.map((key) => watermarks.start(key, scope, true));
    if (again.some((start, index) => start.seq < (starts[index]?.seq ?? 0))) {
      const found = await claimFrom(pool, watermarks, {
        ...from,
        places: emptyHanded,
        starts: again,
      }).catch((error: unknown) => {
        // What is claimed by then is leased, and would only lapse.
        if (claimed.length > 0) return [];
        throw error;
      });
      const dealt = found.map((item, index) => ({ item, place: emptyHanded[index] }));
      return dealOut(request.claimers, [...dealOf(places, claimed), ...dealt]);
    }
  }
  return dealOut(request.claimers, dealOf(places, claimed));
}

/** The claimer that each item goes to, in the order of the items: as many places as its limit. */
function placesOf(claimers: readonly Claimer[]): readonly Place[] {
  return claimers.flatMap(({ workerId, limit }, claimer) =>
    Array.from({ length: Math.max(0, limit) }, () => ({ claimer, workerId })),
  );
}

interface Place {
  readonly claimer: number;
  readonly workerId: string;
}

/** The places of those who have got nothing while `count` items went to the first places. */
function withoutItem(places: readonly Place[], count: number): readonly Place[] {
  const lastServed = count === 0 ? -1 : (places[count - 1]?.claimer ?? -1);
  return places.filter(({ claimer }) => claimer > lastServed);
}

interface Dealt {
  readonly item: ClaimedItem;
  readonly place: Place | undefined;
}

function dealOf(places: readonly Place[], items: readonly ClaimedItem[]): readonly Dealt[] {
  return items.map((item, index) => ({ item, place: places[index] }));
}

function dealOut(
  claimers: readonly Claimer[],
  dealt: readonly Dealt[],
): readonly (readonly ClaimedItem[])[] {
  return claimers.map((_, claimer) =>
    dealt.filter(({ place }) => place?.claimer === claimer).map(({ item }) => item),
  );
}

/** The engine's queue is one for all tenants; those of workers belong to a tenant each. */
function queueKeys({ queues, tenantId }: ClaimScope): readonly string[] {
  const named = queues.filter((queue) => queue === 'engine' || tenantId !== null);
  return [...new Set(named.map((queue) => queueKeyOf(tenantId, queue)))];
}

async function claimFrom(
  pool: PostgresPool,
  watermarks: ClaimWatermarks,
  params: {
    readonly request: ClaimScope;
    readonly keys: readonly string[];
    readonly scope: string;
    readonly places: readonly Place[];
    readonly starts: readonly QueuePosition[];
  },
): Promise<readonly ClaimedItem[]> {
  const { request, keys, scope, places, starts } = params;
  const [key] = keys;
  const [start] = starts;
  const workerIds = places.map(({ workerId }) => workerId);
  const common = [workerIds, request.leaseMs, places.length, request.shards];
  const rows = await pool.run<ClaimRecord>(
    keys.length === 1 ? CLAIM_ONE : CLAIM_MANY,
    keys.length === 1 && start !== undefined
      ? [...common, key, start.priority, start.seq]
      : [...common, keys, starts.map(({ priority }) => priority), starts.map(({ seq }) => seq)],
  );
  const last = new Map<string, QueuePosition>(rows.map((row) => [row.queue_key, row]));
  for (const [queueKey, { priority, seq }] of last) {
    watermarks.noteClaimed(queueKey, scope, { priority, seq });
  }
  return rows.map(decodeClaim);
}

interface ClaimRecord extends LeaseRecord, Partial<Record<keyof RecordColumns, unknown>> {
  readonly queue_key: string;
  readonly seq: number;
  readonly definition_id: DefinitionId | null;
  readonly has_recorded_output: boolean;
}

function decodeClaim(row: ClaimRecord): ClaimedItem {
  return {
    ...decodeLease(row),
    record: hasRecord(row) ? decodeRecord(row) : null,
    definitionId: row.definition_id,
    hasRecordedOutput: row.has_recorded_output,
  };
}

function hasRecord(row: ClaimRecord): row is ClaimRecord & RecordColumns {
  return row.tool !== null;
}

/** The rows it locks are those it takes: `limit` stands above the locking. */
const CLAIM_ONE: Statement = {
  name: 'claim-one',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from work_queue q
    where q.queue_key = $5
      and (q.priority, q.seq) >= ($6::int4, $7::int8)
      and (q.start_before is null or q.start_before > clock_timestamp())
      and ($4::int2[] is null or q.shard = any($4))
      and ${tenantIsActive('q')}
    order by q.priority, q.seq
    limit $3
    for update skip locked`),
};

/*
 * Over several queues no index gives the order, and locking must not run ahead of the limit. So the
 * heads of the queues are read without locks and merged, and then locked one by one until there are
 * enough. The surplus is what other claims may take away meanwhile.
 */
const CLAIM_MANY: Statement = {
  name: 'claim-many',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from work_queue q
    where q.work_item_id = any(array(
      select h.work_item_id
      from unnest($5::text[], $6::int4[], $7::int8[]) as a (queue_key, priority, seq)
      cross join lateral (
        select c.work_item_id, c.priority, c.seq
        from work_queue c
        where c.queue_key = a.queue_key
          and (c.priority, c.seq) >= (a.priority, a.seq)
          and (c.start_before is null or c.start_before > clock_timestamp())
          and (c.queue <> 'engine' or $4::int2[] is null or c.shard = any($4))
          and ${tenantIsActive('c')}
        order by c.priority, c.seq
        limit $3 + 100
      ) h
    ))
    order by q.priority, q.seq
    limit $3
    for update skip locked`),
};

function claimText(candidates: string): string {
  return `
    with picked as materialized (${candidates}
    ),
    clock as materialized (
      select clock_timestamp() as instant
    ),
    taken as (
      delete from work_queue q
      where q.work_item_id = any(array(select work_item_id from picked))
      returning ${ticketColumns('q')}, q.queue_key, q.seq
    ),
    leased as (
      insert into work_leases as l (
        ${ticketColumns()}, worker_id, lease_fence, claimed_at, expires_at, deadline_at
      )
      select ${ticketColumns('t')}, ($1::text[])[t.place], ${NEXT_FENCE},
        (select instant from clock),
        (select instant from clock)
          + least($2::int8, t.node_timeout_ms) * interval '1 millisecond',
        (select instant from clock) + t.node_timeout_ms * interval '1 millisecond'
      from (
        select *, row_number() over (order by priority, seq) as place
        from taken
      ) t
      order by t.place
      returning ${leaseColumns('l')}
    ),
    described as materialized (
      select i.work_item_id, i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms, (
          select e.definition_id
          from executions e
          where e.id = i.execution_id
        ) as definition_id
      from work_items i
      where i.work_item_id = any(array(
        select t.work_item_id
        from taken t
        where t.queue <> 'engine'
      ))
    )
    select ${leaseColumns('l')}, false as timed_out, t.queue_key, t.seq, w.tool, w.payload,
      w.retry_policy, w.heartbeat_interval_ms, w.definition_id,
      (
        select true
        from recorded_outputs o
        where o.execution_id = l.execution_id
          and o.idempotency_key = l.idempotency_key
        limit 1
      ) is true as has_recorded_output
    from leased l
    join taken t on t.work_item_id = l.work_item_id
    left join described w on w.work_item_id = l.work_item_id
    order by t.priority, t.seq`;
}

/** All in one statement. A lease whose deadline has passed is not renewed: its time is over. */
export async function renewLeases(
  pool: PostgresPool,
  leases: readonly LeaseRenewal[],
): Promise<readonly (RenewedLease | null)[]> {
  if (leases.length === 0) return [];
  const rows = await pool.run<{ readonly position: number; readonly expires_at: string }>(RENEW, [
    leases.map((_, position) => position),
    leases.map((lease) => lease.workItemId),
    leases.map((lease) => lease.tenantId),
    leases.map((lease) => lease.leaseFence),
    leases.map((lease) => lease.leaseMs),
  ]);
  const renewed = new Map(rows.map((row) => [row.position, row.expires_at]));
  return leases.map((_, position) => {
    const expiresAt = renewed.get(position);
    return expiresAt === undefined ? null : { expiresAt };
  });
}

/** Leases are locked by id, like everywhere, so that renewals and commits never deadlock. */
const RENEW: Statement = {
  name: 'renew-leases',
  writes: true,
  text: `
    with held as materialized (
      select l.work_item_id
      from work_leases l
      where l.work_item_id = any($2::uuid[])
      order by l.work_item_id
      for update
    ),
    clock as materialized (
      select clock_timestamp() as instant
      from (select count(*) as locks from held offset 0) waited
      where waited.locks >= 0
    ),
    renewed as (
      update work_leases l
      set expires_at = least(
        (select instant from clock) + r.lease_ms * interval '1 millisecond', l.deadline_at
      )
      from unnest($1::int4[], $2::uuid[], $3::text[], $4::int8[], $5::int8[])
        as r (position, work_item_id, tenant_id, lease_fence, lease_ms)
      where l.work_item_id = any($2::uuid[])
        and l.work_item_id = r.work_item_id
        and l.lease_fence = r.lease_fence
        and (r.tenant_id is null or l.tenant_id = r.tenant_id)
        and (l.deadline_at is null or l.deadline_at > (select instant from clock))
      returning l.work_item_id, l.lease_fence, l.tenant_id, l.expires_at
    )
    select r.position, n.expires_at
    from unnest($1::int4[], $2::uuid[], $3::text[], $4::int8[], $5::int8[])
      as r (position, work_item_id, tenant_id, lease_fence, lease_ms)
    join renewed n
      on n.work_item_id = r.work_item_id
      and n.lease_fence = r.lease_fence
      and (r.tenant_id is null or r.tenant_id = n.tenant_id)`,
};
