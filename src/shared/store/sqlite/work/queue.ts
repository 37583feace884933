import { toolKey } from '../../../domain/work/claim-filter.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import { isFairKey } from '../../../domain/work/fair-queue.ts';
import type { FailureCause } from '../../commit.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { tagReturned, tagShare, turnsOf } from './fair-tags.ts';
import { bindTicket, TICKET_COLUMNS, TICKET_PLACES } from '../rows.ts';

/** The common writes on queue and leases of commits, claims, retries and requeues. */

/*
 * The age of an item comes from the clock, so that a claimed item keeps its place although its row
 * is gone. SQLite's own row ids would give the place to the next item on an empty queue.
 */
const INSERT_QUEUED = `
  insert into work_queue (
    ${TICKET_COLUMNS}, queue_key, queue_name, tool, shard, start_before, enqueued_at, seq
  )
  values (
    ${TICKET_PLACES}, ?, ?, ?, ?, ?, ?,
    max(?, coalesce((select max(seq) from work_queue), 0) + 1)
  )`;

const SEQS_PER_MS = 1_024;

export interface Enqueued {
  readonly ticket: WorkTicket;
  /** Null: of the engine. */
  readonly tool: string | null;
  readonly shard: number;
  readonly now: number;
}

/** Behind every queued item of its priority. */
export function enqueue(connection: Connection, item: Enqueued): void {
  const { queueName = '', priority } = item.ticket;
  const queueKey = queueKeyOf(item.ticket);
  if (isFairKey(queueKey)) {
    turnsOf(connection).note(queueKey);
    const seq = tagShare(connection, { queueKey, queueName, priority });
    connection.run(INSERT_GIVEN_BACK, [...bindQueued(item, item.now), seq]);
    return;
  }
  connection.run(INSERT_QUEUED, [
    ...bindQueued(item, item.now),
    Math.floor(item.now) * SEQS_PER_MS,
  ]);
}

/**
 * Moves a queued item from below its quota behind all others of its priority on the queue of its
 * workers. On the default queue it counts like any other item there; its record keeps the name.
 */
export function moveToEnd(
  connection: Connection,
  { workItemId, queueKey }: { readonly workItemId: string; readonly queueKey: string },
): void {
  if (isFairKey(queueKey)) {
    moveToTag(connection, { workItemId, queueKey });
    return;
  }
  connection.run(
    `update work_queue
     set queue_key = ?,
         queue_name = case when queue_name not like 'default#%' then queue_name end,
         seq = max(?, (select max(seq) from work_queue) + 1)
     where work_item_id = ?`,
    [queueKey, Math.floor(connection.now()) * SEQS_PER_MS, workItemId],
  );
}

function moveToTag(
  connection: Connection,
  { workItemId, queueKey }: { readonly workItemId: string; readonly queueKey: string },
): void {
  const row = connection.get<{ readonly queue_name: string; readonly priority: number }>(
    'select queue_name, priority from work_queue where work_item_id = ?',
    [workItemId],
  );
  if (row === undefined) return;
  const { queue_name: queueName, priority } = row;
  turnsOf(connection).note(queueKey);
  connection.run('update work_queue set queue_key = ?, seq = ? where work_item_id = ?', [
    queueKey,
    tagShare(connection, { queueKey, queueName, priority }),
    workItemId,
  ]);
}

/** If two items have the same place, the released one goes first. */
const INSERT_GIVEN_BACK = `
  insert into work_queue (
    ${TICKET_COLUMNS}, queue_key, queue_name, tool, shard, start_before, enqueued_at, seq
  )
  values (
    ${TICKET_PLACES}, ?, ?, ?, ?, ?, ?,
    (
      with recursive free (seq) as (
        select ?
        union all
        select free.seq - 1
        from free
        where exists (select 1 from work_queue q where q.seq = free.seq)
      )
      select min(seq) from free
    )
  )`;

/** Its place before the claim; see `tagReturned` for one with a key of fairness. */
export function giveBack(
  connection: Connection,
  item: Enqueued & { readonly seq: number; readonly queuedAt: number },
): void {
  const { queueName = '', priority } = item.ticket;
  const queueKey = queueKeyOf(item.ticket);
  turnsOf(connection).note(queueKey);
  const seq = isFairKey(queueKey)
    ? tagReturned(connection, { queueKey, queueName, priority, tag: item.seq })
    : item.seq;
  connection.run(INSERT_GIVEN_BACK, [...bindQueued(item, item.queuedAt), seq]);
}

function bindQueued({ ticket, tool, shard }: Enqueued, since: number): readonly Bindable[] {
  const bound = ticket.scheduleToStartMs;
  return [
    ...bindTicket(ticket),
    queueKeyOf(ticket),
    ticket.queueName ?? null,
    tool === null ? null : toolKey(tool),
    shard,
    bound === null ? null : since + bound,
    since,
  ];
}

/** The fields of a queued item that come from its record unless its ticket has them. */
export function findNames(
  connection: Connection,
  ticket: WorkTicket,
): { readonly ticket: WorkTicket; readonly tool: string | null } {
  if (ticket.queue === 'engine') return { ticket, tool: null };
  const row = connection.get<{ readonly tool: string; readonly queue_name: string | null }>(
    'select tool, queue_name from work_items where work_item_id = ?',
    [ticket.workItemId],
  );
  const name = ticket.queueName ?? row?.queue_name ?? null;
  return {
    ticket: name === null ? ticket : { ...ticket, queueName: name },
    tool: row?.tool ?? null,
  };
}

/** An item that is handed to `workerId`. */
export interface HandOut {
  readonly ticket: WorkTicket;
  /** Absent: it was not claimed from a queue. */
  readonly queuePlace?: { readonly seq: number; readonly queuedAt: number };
  readonly workerId: string;
  /** Absent: the claim has no id. */
  readonly claimId?: string | null;
  readonly leaseFence: number;
  readonly leaseMs: number;
  readonly now: number;
}

export interface LeaseTerms {
  readonly leaseFence: number;
  readonly expiresAt: number;
  readonly deadlineAt: number | null;
}

const INSERT_LEASE = `
  insert into work_leases (
    ${TICKET_COLUMNS}, worker_id, lease_fence, claimed_at, expires_at, deadline_at, queue_seq,
    queued_at, claim_id
  )
  values (${TICKET_PLACES}, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function insertLease(connection: Connection, item: HandOut): LeaseTerms {
  const terms = termsOf(item);
  connection.run(INSERT_LEASE, bindLease(item, terms));
  return terms;
}

const REPLACE_LEASE = `
  update work_leases
  set (
    ${TICKET_COLUMNS}, worker_id, lease_fence, claimed_at, expires_at, deadline_at, queue_seq,
    queued_at, claim_id
  ) = (${TICKET_PLACES}, ?, ?, ?, ?, ?, ?, ?, ?)
  where work_item_id = ?`;

/** Equals deleting the lease of `endedItemId` and inserting the new one, in one statement. */
export function replaceLease(
  connection: Connection,
  params: { readonly endedItemId: string; readonly item: HandOut },
): LeaseTerms {
  const terms = termsOf(params.item);
  connection.run(REPLACE_LEASE, [...bindLease(params.item, terms), params.endedItemId]);
  return terms;
}

/** Never for longer than the attempt may run. */
function termsOf({ ticket, leaseFence, leaseMs, now }: HandOut): LeaseTerms {
  const deadlineAt = ticket.nodeTimeoutMs === null ? null : now + ticket.nodeTimeoutMs;
  const expiresAt = Math.min(now + leaseMs, deadlineAt ?? Infinity);
  return { leaseFence, expiresAt, deadlineAt };
}

function bindLease(item: HandOut, terms: LeaseTerms): readonly Bindable[] {
  const { ticket, queuePlace, workerId, now } = item;
  const { leaseFence, expiresAt, deadlineAt } = terms;
  return [
    ...bindTicket(ticket),
    workerId,
    leaseFence,
    now,
    expiresAt,
    deadlineAt,
    queuePlace?.seq ?? null,
    queuePlace?.queuedAt ?? null,
    item.claimId ?? null,
  ];
}

/** Only items for workers have a record, so it writes nothing for an engine item. */
export function insertDeadLetter(
  connection: Connection,
  letter: {
    readonly workItemId: string;
    readonly executionId: string;
    readonly attempt: number;
    readonly error: string;
    /** Null: not known. */
    readonly cause: FailureCause | null;
    readonly now: number;
  },
): void {
  connection.run(
    `insert into dead_letters (
       work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error, error_class,
       cause_key, dead_lettered_at
     )
     select work_item_id, execution_id, tenant_id, node_id, queue, tool, :attempt, :error,
       :error_class, :cause_key, :now
     from work_items
     where work_item_id = :work_item_id and execution_id = :execution_id
     on conflict (work_item_id) do update
     set attempt = excluded.attempt,
         error = excluded.error,
         error_class = excluded.error_class,
         cause_key = excluded.cause_key,
         dead_lettered_at = excluded.dead_lettered_at`,
    {
      work_item_id: letter.workItemId,
      execution_id: letter.executionId,
      attempt: letter.attempt,
      error: letter.error,
      error_class: letter.cause?.errorClass ?? null,
      cause_key: letter.cause?.causeKey ?? null,
      now: letter.now,
    },
  );
}

/** Fences per second: far more than are used, and enough until the year 2242. */
const FENCES_PER_SECOND = 2 ** 20;

/** The lower bound of a connection's fences. */
const floors = new WeakMap<Connection, number>();

/**
 * Creates new fences within a transaction. No other transaction creates one meanwhile, so the last
 * fence is read once and written once, and not at all if none is created. A rolled-back
 * transaction's fences are used again: nobody has seen them.
 *
 * The fences of a connection start from the clock at its first fence: the file may be an earlier
 * copy, whose last fence is lower than those of workers. The clock is ahead of all earlier fences,
 * unless it was set back.
 */
export function withFences<Result>(
  connection: Connection,
  work: (drawFence: () => number) => Result,
): Result {
  let last: number | null = null;
  const result = work(() => {
    last = (last ?? readLastFence(connection)) + 1;
    return last;
  });
  if (last !== null) connection.run('update lease_fence set last = ?', [last]);
  return result;
}

function readLastFence(connection: Connection): number {
  const row = connection.get<{ readonly last: number }>('select last from lease_fence');
  if (row === undefined) throw new Error('the row of lease_fence is gone');
  const floor = floors.get(connection) ?? (connection.now() / 1000) * FENCES_PER_SECOND;
  floors.set(connection, floor);
  return Math.max(row.last, Math.floor(floor));
}
