import type { ClaimedItem, ClaimRef } from '../../work.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { leaseColumns } from '../rows.ts';
import { decodeClaim, type ClaimedRecord } from './leases.ts';

/** Reads the items that each claim leased, in the order of the claims. Many workers ask at once when a process was away. */
export async function listClaimed(
  pool: PostgresPool,
  claims: readonly ClaimRef[],
): Promise<readonly (readonly ClaimedItem[])[]> {
  const rows = await pool.run<ClaimedRecord & { readonly claim_id: string }>(LIST_CLAIMED, [
    claims.map(({ claimId }) => claimId),
  ]);
  return claims.map(({ claimId, tenantId, workerId }) =>
    rows
      .filter((row) => row.claim_id === claimId)
      .filter((row) => row.tenant_id === tenantId && row.worker_id === workerId)
      .map(decodeClaim),
  );
}

/** It reads all leases, as no index holds the ids of claims. */
const LIST_CLAIMED: Statement = {
  name: 'list-claimed',
  writes: false,
  text: `
    select ${leaseColumns('l')}, l.claim_id, false as timed_out, w.tool, w.payload, w.retry_policy,
      w.heartbeat_interval_ms, w.queue_name,
      (
        select e.definition_id
        from executions e
        where e.id = l.execution_id
      ) as definition_id,
      (
        select true
        from recorded_outputs o
        where o.execution_id = l.execution_id
          and o.idempotency_key = l.idempotency_key
        limit 1
      ) is true as has_recorded_output
    from work_leases l
    cross join lateral (
      select i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms, i.queue_name
      from work_items i
      where i.work_item_id = l.work_item_id
      limit 1
    ) w
    where l.claim_id = any($1::uuid[])
    order by l.lease_fence`,
};
