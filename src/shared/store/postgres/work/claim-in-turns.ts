import type { ClaimedItem, ClaimRequest } from '../../work.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { tenantIsActive } from '../rows.ts';
import { claimText, surplusOver } from './claim-sql.ts';
import { decodeClaim, type ClaimedRecord } from './leases.ts';

/**
 * A claim on the queue of the engine in which tenants take turns: the next item goes to the tenant with
 * the fewest items at the claimer, those of this claim included. Only claimers that find more
 * items than they can take need it.
 */
export async function claimInTurns(
  pool: PostgresPool,
  request: ClaimRequest & { readonly heldOf: NonNullable<ClaimRequest['heldOf']> },
): Promise<readonly ClaimedItem[]> {
  const { workerId, leaseMs, limit, shards, heldOf } = request;
  if (limit <= 0) return [];
  const rows = await pool.run<ClaimedRecord>(CLAIM_IN_TURNS, [
    Array.from({ length: limit }, () => workerId),
    leaseMs,
    limit,
    shards,
    null,
    [...heldOf.keys()],
    [...heldOf.values()],
  ]);
  return rows.map(decodeClaim);
}

/** Items that a claim reads of all tenants, if it may take fewer: others may hold some of them locked. */
const READ_MAX = 2_000;

/*
 * It goes from tenant to tenant by the index `work_queue_of_engine`, and reads the next items of each
 * without locks: of each as many as the claim may take, so that no tenant's part is cut short.
 */
const CLAIM_IN_TURNS: Statement = {
  name: 'claim-in-turns',
  writes: true,
  text: claimText(`
    select q.work_item_id
    from (
      with recursive waiting as (
        select min(w.tenant_id) as tenant_id
        from work_queue w
        where w.queue_key = 'engine'
        union all
        select (
          select min(w.tenant_id)
          from work_queue w
          where w.queue_key = 'engine'
            and w.tenant_id > waiting.tenant_id
        )
        from waiting
        where waiting.tenant_id is not null
      )
      select n.work_item_id, n.priority, n.seq,
        coalesce(h.held, 0)
          + row_number() over (partition by w.tenant_id order by n.priority, n.seq) as turn
      from (
        select tenant_id, count(*) over () as tenants
        from waiting
        where tenant_id is not null
          and ${tenantIsActive('waiting')}
      ) w
      left join unnest($6::text[], $7::int8[]) as h (tenant_id, held) on h.tenant_id = w.tenant_id
      cross join lateral (
        select c.work_item_id, c.priority, c.seq
        from work_queue c
        where c.queue_key = 'engine'
          and c.tenant_id = w.tenant_id
          and (c.start_before is null or c.start_before > clock_timestamp())
          and ($4::int2[] is null or c.shard = any($4))
        order by c.priority, c.seq
        limit least(${surplusOver('$3')}, greatest($3, ${READ_MAX} / w.tenants))
      ) n
    ) r
    join work_queue q on q.work_item_id = r.work_item_id
    order by r.turn, r.priority, r.seq
    limit $3
    for update of q skip locked`),
};
