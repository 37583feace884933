import type { LeaseRenewal, RenewedLease } from '../../work.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';

/** All in one statement. A lease whose deadline has passed is not renewed: its time is over. */
export async function renew(
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
    leases.flatMap(({ executionId }) => (executionId === undefined ? [] : [toUuid(executionId)])),
  ]);
  const renewed = new Map(rows.map((row) => [row.position, row.expires_at]));
  return leases.map((_, position) => {
    const expiresAt = renewed.get(position);
    return expiresAt === undefined ? null : { expiresAt };
  });
}

const RENEWED_UNTIL = `least(
          (select instant from clock) + r.lease_ms * interval '1 millisecond', l.deadline_at
        )`;

function renewalIn(table: string, alsoSet = ''): string {
  return `
      update ${table} l
      set expires_at = ${RENEWED_UNTIL}${alsoSet}
      from unnest($1::int4[], $2::uuid[], $3::text[], $4::int8[], $5::int8[])
        as r (position, work_item_id, tenant_id, lease_fence, lease_ms)
      where l.work_item_id = any($2::uuid[])
        and l.execution_id = any(array(select execution_id from owner))
        and l.work_item_id = r.work_item_id
        and l.lease_fence = r.lease_fence
        and (r.tenant_id is null or l.tenant_id = r.tenant_id)
        and (l.deadline_at is null or l.deadline_at > (select instant from clock))
      returning l.work_item_id, l.lease_fence, l.tenant_id, l.expires_at
    `;
}

/**
 * Leases are locked in the same order everywhere, so that renewals and commits never deadlock. No
 * index of `leases` has the item, so they are found by their executions. Those that older processes
 * began are in `work_leases` itself.
 */
const RENEW: Statement = {
  name: 'renew-leases',
  writes: true,
  text: `
    with owner as materialized (
      select i.execution_id
      from work_items i
      where i.work_item_id = any($2::uuid[])
      union
      select unnest($6::uuid[])
    ),
    held as materialized (
      select l.work_item_id
      from work_leases l
      where l.work_item_id = any($2::uuid[])
        and l.execution_id = any(array(select execution_id from owner))
      order by l.execution_id, l.work_item_id
      for update
    ),
    clock as materialized (
      select clock_timestamp() as instant
      from (select count(*) as locks from held offset 0) waited
      where waited.locks >= 0
    ),
    renewed_here as (${renewalIn('leases', `, look_at = least(l.look_at, ${RENEWED_UNTIL})`)}),
    renewed_before as (${renewalIn('only work_leases')}),
    renewed as (
      select * from renewed_here
      union all
      select * from renewed_before
    )
    select r.position, n.expires_at
    from unnest($1::int4[], $2::uuid[], $3::text[], $4::int8[], $5::int8[])
      as r (position, work_item_id, tenant_id, lease_fence, lease_ms)
    join renewed n
      on n.work_item_id = r.work_item_id
      and n.lease_fence = r.lease_fence
      and (r.tenant_id is null or r.tenant_id = n.tenant_id)`,
};
