import type { DefinitionId } from '../../../domain/ids.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import type {
  ClaimedItem,
  ClaimRef,
  ClaimRequest,
  JointClaim,
  Lease,
  LeaseRenewal,
  RenewedLease,
} from '../../work.ts';
import type { Connection } from '../connection/connect.ts';
import { turnsOf } from './fair-tags.ts';
import { insertLease, withFences } from './queue.ts';
import {
  LEASE_COLUMNS,
  RECORD_COLUMNS,
  toIso,
  toIsoOrNull,
  decodeLease,
  decodeRecord,
  decodeTicket,
  type LeaseRecord,
  type WorkItemRow,
} from '../rows.ts';
import { selectInTurns } from './select-in-turns.ts';
import { selectNext } from './select-next.ts';

const SELECT_RECORD = `
  select ${RECORD_COLUMNS}, (
    select definition_id
    from executions
    where executions.id = work_items.execution_id
  ) as definition_id
  from work_items
  where work_item_id = ?`;

const SELECT_RECORDED = `
  select 1
  from recorded_outputs
  where execution_id = ? and idempotency_key = ?`;

interface ClaimedRecord extends WorkItemRow {
  readonly definition_id: DefinitionId;
}

/** Both run within a write transaction, so an item that was read still exists when it is leased. */
export function claimTogether(
  connection: Connection,
  request: JointClaim,
): readonly (readonly ClaimedItem[])[] {
  return request.claimers.map((claimer) => claim(connection, { ...request, ...claimer }));
}

export function claim(connection: Connection, request: ClaimRequest): readonly ClaimedItem[] {
  const now = connection.now();
  const { limit } = request;
  const asked = { ...request, limit: limit > 0 ? limit + 1 : limit };
  const { heldOf } = request;
  const found =
    heldOf === undefined
      ? selectNext(connection, asked, now)
      : selectInTurns(connection, { ...asked, heldOf }, now);
  const next = found.slice(0, Math.max(0, limit));
  const left = found.length <= limit ? { leftNothing: true } : {};
  turnsOf(connection).took(next.flatMap(({ turn }) => turn ?? []));
  return withFences(connection, (drawFence) =>
    next.map((row) => {
      connection.run('delete from work_queue where seq = ?', [row.seq]);
      const ticket = decodeTicket(row);
      const { workerId, leaseMs, claimId = null } = request;
      const leaseFence = drawFence();
      const queuePlace = { seq: row.seq, queuedAt: row.enqueued_at };
      const lease = { ticket, queuePlace, workerId, claimId, leaseFence, leaseMs, now };
      const terms = insertLease(connection, lease);
      return {
        ticket,
        leaseFence: terms.leaseFence,
        workerId,
        claimedAt: toIso(now),
        expiresAt: toIso(terms.expiresAt),
        deadlineAt: toIsoOrNull(terms.deadlineAt),
        timedOut: terms.deadlineAt !== null && terms.deadlineAt <= now,
        ...describe(connection, ticket),
        ...left,
      };
    }),
  );
}

export function listClaimed(
  connection: Connection,
  { tenantId, workerId, claimId }: ClaimRef,
): readonly ClaimedItem[] {
  const now = connection.now();
  return connection
    .all<LeaseRecord>(
      `select ${LEASE_COLUMNS}
       from work_leases
       where claim_id = :claim_id
         and worker_id = :worker_id
         and tenant_id = :tenant_id
       order by lease_fence`,
      { claim_id: claimId, worker_id: workerId, tenant_id: tenantId },
    )
    .map((row) => {
      const lease = decodeLease(row, now);
      return { ...lease, ...describe(connection, lease.ticket) };
    });
}

/** Reads the facts that a claim reports about an item beside its lease. */
function describe(
  connection: Connection,
  { queue, workItemId, executionId, idempotencyKey }: WorkTicket,
): Omit<ClaimedItem, keyof Lease> {
  // Items of the engine have no record.
  const record =
    queue === 'engine' ? undefined : connection.get<ClaimedRecord>(SELECT_RECORD, [workItemId]);
  const recorded = connection.get(SELECT_RECORDED, [executionId, idempotencyKey]);
  return {
    record: record === undefined ? null : decodeRecord(record),
    definitionId: record?.definition_id ?? null,
    hasRecordedOutput: recorded !== undefined,
  };
}

/** A lease past its deadline is not renewed: the attempt has reached its time limit. */
export function renew(
  connection: Connection,
  leases: readonly LeaseRenewal[],
): readonly (RenewedLease | null)[] {
  const now = connection.now();
  return leases.map((lease) => {
    const row = connection.get<{ readonly expires_at: number }>(
      `update work_leases
       set expires_at = min(:expires_at, coalesce(deadline_at, :expires_at))
       where work_item_id = :id
         and lease_fence = :lease_fence
         and (:tenant_id is null or tenant_id = :tenant_id)
         and (deadline_at is null or deadline_at > :now)
       returning expires_at`,
      {
        id: lease.workItemId,
        lease_fence: lease.leaseFence,
        tenant_id: lease.tenantId,
        expires_at: now + lease.leaseMs,
        now,
      },
    );
    return row === undefined ? null : { expiresAt: toIso(row.expires_at) };
  });
}
