import type { DefinitionId } from '../../domain/ids.ts';
import type {
  ClaimedItem,
  ClaimRequest,
  JointClaim,
  LeaseRenewal,
  RenewedLease,
} from '../store.ts';
import type { Connection } from './connect.ts';
import { insertLease, queueKey, withFences } from './queue.ts';
import {
  RECORD_COLUMNS,
  TENANT_IS_ACTIVE,
  TICKET_COLUMNS,
  toIso,
  toIsoOrNull,
  decodeRecord,
  decodeTicket,
  type WorkItemRow,
  type TicketRecord,
} from './rows.ts';

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

const SELECT_NEXT = `
  select seq, ${TICKET_COLUMNS}
  from work_queue
  where queue_key = :queue_key
    and (start_before is null or start_before > :now)
    and (:shards is null or shard in (select value from json_each(:shards)))
    and ${TENANT_IS_ACTIVE}
  order by priority, seq
  limit :limit`;

interface ClaimedRecord extends WorkItemRow {
  readonly definition_id: DefinitionId;
}

/** A candidate: `seq` is its age. */
interface RawQueued extends TicketRecord {
  readonly seq: number;
}

/** Both run within a write transaction, so what is read here is still there when it is leased. */
export function claimTogether(
  connection: Connection,
  request: JointClaim,
): readonly (readonly ClaimedItem[])[] {
  return request.claimers.map((claimer) => claim(connection, { ...request, ...claimer }));
}

export function claim(connection: Connection, request: ClaimRequest): readonly ClaimedItem[] {
  const now = connection.now();
  const next = selectNext(connection, request, now);
  return withFences(connection, (drawFence) =>
    next.map((row) => {
      connection.run('delete from work_queue where seq = ?', [row.seq]);
      const ticket = decodeTicket(row);
      const { workerId, leaseMs } = request;
      const leaseFence = drawFence();
      const terms = insertLease(connection, { ticket, workerId, leaseFence, leaseMs, now });
      // Items of the engine have no record.
      const record =
        ticket.queue === 'engine'
          ? undefined
          : connection.get<ClaimedRecord>(SELECT_RECORD, [ticket.workItemId]);
      const recorded = connection.get(SELECT_RECORDED, [ticket.executionId, ticket.idempotencyKey]);
      return {
        ticket,
        leaseFence: terms.leaseFence,
        workerId,
        claimedAt: toIso(now),
        expiresAt: toIso(terms.expiresAt),
        deadlineAt: toIsoOrNull(terms.deadlineAt),
        timedOut: terms.deadlineAt !== null && terms.deadlineAt <= now,
        record: record === undefined ? null : decodeRecord(record),
        definitionId: record?.definition_id ?? null,
        hasRecordedOutput: recorded !== undefined,
      };
    }),
  );
}

/**
 * The best of each queue, then the best of those: with several queues in one query, SQLite would
 * sort all their items at every claim instead of reading the first few off the index.
 */
function selectNext(
  connection: Connection,
  request: ClaimRequest,
  now: number,
): readonly RawQueued[] {
  const { queues, tenantId, shards } = request;
  // To SQLite a negative limit is none.
  const limit = Math.max(0, request.limit);
  const keys = new Set(queues.map((queue) => queueKey(tenantId ?? '', queue)));
  return [...keys]
    .flatMap((key) =>
      connection.all<RawQueued>(SELECT_NEXT, {
        queue_key: key,
        now,
        shards: key !== 'engine' || shards === null ? null : JSON.stringify(shards),
        limit,
      }),
    )
    .toSorted((left, right) => left.priority - right.priority || left.seq - right.seq)
    .slice(0, limit);
}

/** A lease past its deadline is not renewed: the attempt's time is over, whoever still runs it. */
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
