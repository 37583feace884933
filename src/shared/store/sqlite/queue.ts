import type { WorkQueue, WorkTicket } from '../../domain/work/work-item.ts';
import type { Connection } from './connect.ts';
import { bindTicket, TICKET_COLUMNS, TICKET_PARAMETERS } from './rows.ts';

/** The writes on queue and leases that commits, claims, retries and requeues have in common. */

export function queueKey(tenantId: string, queue: WorkQueue): string {
  return queue === 'engine' ? 'engine' : `${tenantId}/${queue}`;
}

/** Behind every item of its priority that is there already. */
export function enqueue(
  connection: Connection,
  item: { readonly ticket: WorkTicket; readonly shard: number; readonly now: number },
): void {
  const { ticket, shard, now } = item;
  const bound = ticket.scheduleToStartMs;
  connection.run(
    `insert into work_queue (
       ${TICKET_COLUMNS}, queue_key, shard, start_before, enqueued_at
     )
     values (
       ${TICKET_PARAMETERS}, :queue_key, :shard, :start_before, :enqueued_at
     )`,
    {
      ...bindTicket(ticket),
      queue_key: queueKey(ticket.tenantId, ticket.queue),
      shard,
      start_before: bound === null ? null : now + bound,
      enqueued_at: now,
    },
  );
}

export interface LeaseTerms {
  readonly leaseFence: number;
  readonly expiresAt: number;
  readonly deadlineAt: number | null;
}

/** Hands the item to `workerId` under a new fence; never for longer than the attempt may run. */
export function insertLease(
  connection: Connection,
  item: {
    readonly ticket: WorkTicket;
    readonly workerId: string;
    readonly leaseMs: number;
    readonly now: number;
  },
): LeaseTerms {
  const { ticket, workerId, leaseMs, now } = item;
  const leaseFence = drawFence(connection);
  const deadlineAt = ticket.nodeTimeoutMs === null ? null : now + ticket.nodeTimeoutMs;
  const expiresAt = Math.min(now + leaseMs, deadlineAt ?? Infinity);
  connection.run(
    `insert into work_leases (
       ${TICKET_COLUMNS}, worker_id, lease_fence, claimed_at, expires_at, deadline_at
     )
     values (
       ${TICKET_PARAMETERS}, :worker_id, :lease_fence, :claimed_at, :expires_at, :deadline_at
     )`,
    {
      ...bindTicket(ticket),
      worker_id: workerId,
      lease_fence: leaseFence,
      claimed_at: now,
      expires_at: expiresAt,
      deadline_at: deadlineAt,
    },
  );
  return { leaseFence, expiresAt, deadlineAt };
}

/** Only items for workers have a record, so nothing is written for one of the engine. */
export function insertDeadLetter(
  connection: Connection,
  letter: {
    readonly workItemId: string;
    readonly executionId: string;
    readonly attempt: number;
    readonly error: string;
    readonly now: number;
  },
): void {
  connection.run(
    `insert into dead_letters (
       work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
       dead_lettered_at
     )
     select work_item_id, execution_id, tenant_id, node_id, queue, tool, :attempt, :error, :now
     from work_items
     where work_item_id = :work_item_id and execution_id = :execution_id
     on conflict (work_item_id) do update
     set attempt = excluded.attempt,
         error = excluded.error,
         dead_lettered_at = excluded.dead_lettered_at`,
    {
      work_item_id: letter.workItemId,
      execution_id: letter.executionId,
      attempt: letter.attempt,
      error: letter.error,
      now: letter.now,
    },
  );
}

/** A fence of a transaction that is rolled back is drawn again: nobody has seen it. */
function drawFence(connection: Connection): number {
  const row = connection.get<{ readonly last: number }>(
    'update lease_fence set last = last + 1 returning last',
  );
  if (row === undefined) throw new Error('the row of lease_fence is gone');
  return row.last;
}
