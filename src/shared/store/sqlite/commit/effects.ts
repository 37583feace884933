import type { TimerSpec } from '../../../domain/workflow/plan/plan.ts';
import type { CommitPlan, Release } from '../../commit.ts';
import type { Connection } from '../connection/connect.ts';
import { enqueue, findNames, insertDeadLetter, insertLease, replaceLease } from '../work/queue.ts';
import { bindTicket, HELD_DUE_AT, TICKET_COLUMNS, TICKET_PLACES } from '../rows.ts';

/*
 * The items and timers of an accepted plan. Deletions come first, so that a plan may end an item or
 * a timer and begin it again under the same name.
 */

/** Returns the fences of the items that are leased when created. */
export function writeItems(
  connection: Connection,
  params: {
    readonly plan: CommitPlan;
    readonly shard: number;
    readonly now: number;
    readonly drawFence: () => number;
  },
): readonly number[] {
  const { plan, shard, now, drawFence } = params;
  const replaced = replacedLease(plan);
  endItems(connection, plan, replaced);
  moveWaiting(connection, plan);
  for (const { ticket, record } of plan.newItems) {
    if (record !== null) insertRecord(connection, { ticket, record, now });
    enqueue(connection, { ticket, tool: record?.tool ?? null, shard, now });
  }
  for (const { ticket, delayMs, released } of plan.retries) {
    if (delayMs <= 0) enqueue(connection, { ...findNames(connection, ticket), shard, now });
    else insertRetry(connection, { ticket, shard, dueAt: now + delayMs, released });
  }
  const leases = plan.bornLeased.map(({ ticket, record, leaseTo, leaseMs, claimId }, index) => {
    if (record !== undefined) insertRecord(connection, { ticket, record, now });
    const lease = { workerId: leaseTo, leaseFence: drawFence(), leaseMs };
    const item = { ...lease, ticket, now, ...(claimId !== undefined && { claimId }) };
    return replaced !== null && index === 0
      ? replaceLease(connection, { endedItemId: replaced, item })
      : insertLease(connection, item);
  });
  for (const letter of plan.deadLetters) {
    const { workItemId, attempt, error } = letter;
    insertDeadLetter(connection, {
      workItemId,
      executionId: plan.executionId,
      attempt,
      error,
      cause: letter,
      now,
    });
  }
  return leases.map((lease) => lease.leaseFence);
}

/** See `waitingItems` of a plan, and `held_due_at` in the schema. */
function moveWaiting(connection: Connection, { executionId, waitingItems }: CommitPlan): void {
  if (waitingItems === null) return;
  const of = { execution_id: executionId };
  if (waitingItems === 'release') {
    connection.run(
      `update retry_timers
       set due_at = held_due_at,
           held_due_at = null
       where execution_id = :execution_id and held_due_at is not null`,
      of,
    );
    return;
  }
  connection.run(
    `update retry_timers
     set held_due_at = due_at,
         due_at = ${HELD_DUE_AT}
     where execution_id = :execution_id and held_due_at is null`,
    of,
  );
  connection.run(
    `insert into retry_timers (${TICKET_COLUMNS}, shard, due_at, held_due_at, queue_name)
     select ${TICKET_COLUMNS}, shard, ${HELD_DUE_AT}, enqueued_at, queue_name
     from work_queue
     where execution_id = :execution_id`,
    of,
  );
  connection.run('delete from work_queue where execution_id = :execution_id', of);
}

/**
 * The item whose lease becomes that of the first item leased when created; null: none. In a chain
 * each step ends one lease and begins one, and one statement does both.
 */
function replacedLease(plan: CommitPlan): string | null {
  const [settled, ...others] = plan.settles;
  if (settled === undefined || others.length > 0 || plan.bornLeased.length === 0) return null;
  const revokes = plan.revokesAll || plan.revokesItems.length > 0;
  return revokes ? null : settled.workItemId;
}

function endItems(connection: Connection, plan: CommitPlan, replaced: string | null): void {
  if (plan.revokesAll) {
    const all = { execution_id: plan.executionId };
    connection.run('delete from work_leases where execution_id = :execution_id', all);
    connection.run('delete from work_queue where execution_id = :execution_id', all);
    connection.run('delete from retry_timers where execution_id = :execution_id', all);
    return;
  }
  for (const { workItemId } of plan.settles) {
    if (workItemId === replaced) continue;
    endItem(connection, { from: 'work_leases', plan, workItemId });
  }
  for (const workItemId of plan.expiresQueued) {
    endItem(connection, { from: 'work_queue', plan, workItemId });
  }
  for (const workItemId of plan.revokesItems) {
    endItem(connection, { from: 'work_leases', plan, workItemId });
    endItem(connection, { from: 'work_queue', plan, workItemId });
    endItem(connection, { from: 'retry_timers', plan, workItemId });
  }
}

function endItem(
  connection: Connection,
  params: {
    readonly from: keyof typeof END_ITEM;
    readonly plan: CommitPlan;
    readonly workItemId: string;
  },
): void {
  connection.run(END_ITEM[params.from], [params.workItemId, params.plan.executionId]);
}

const END_ITEM = {
  work_leases: 'delete from work_leases where work_item_id = ? and execution_id = ?',
  work_queue: 'delete from work_queue where work_item_id = ? and execution_id = ?',
  retry_timers: 'delete from retry_timers where work_item_id = ? and execution_id = ?',
};

function insertRecord(
  connection: Connection,
  params: {
    readonly ticket: CommitPlan['newItems'][number]['ticket'];
    readonly record: NonNullable<CommitPlan['newItems'][number]['record']>;
    readonly now: number;
  },
): void {
  const { ticket, record, now } = params;
  connection.run(
    `insert into work_items (
       work_item_id, execution_id, tenant_id, node_id, visit, queue, idempotency_key, tool,
       payload, retry_policy, heartbeat_interval_ms, node_timeout_ms, schedule_to_start_ms,
       queue_name, created_at
     )
     values (
       :work_item_id, :execution_id, :tenant_id, :node_id, :visit, :queue, :idempotency_key, :tool,
       :payload, :retry_policy, :heartbeat_interval_ms, :node_timeout_ms, :schedule_to_start_ms,
       :queue_name, :created_at
     )`,
    {
      work_item_id: record.workItemId,
      execution_id: record.executionId,
      tenant_id: record.tenantId,
      node_id: record.nodeId,
      visit: record.visit,
      queue: record.queue,
      idempotency_key: record.idempotencyKey,
      tool: record.tool,
      payload: JSON.stringify(record.payload),
      retry_policy: JSON.stringify(record.retryPolicy),
      heartbeat_interval_ms: record.heartbeatIntervalMs,
      node_timeout_ms: ticket.nodeTimeoutMs,
      schedule_to_start_ms: ticket.scheduleToStartMs,
      queue_name: record.queueName ?? null,
      created_at: now,
    },
  );
}

function insertRetry(
  connection: Connection,
  params: {
    readonly ticket: CommitPlan['retries'][number]['ticket'];
    readonly shard: number;
    readonly dueAt: number;
    readonly released: Release | null;
  },
): void {
  const { ticket, shard, dueAt, released } = params;
  const place = released?.place ?? null;
  const isHeld = released?.isHeld ?? false;
  connection.run(INSERT_RETRY, [
    ...bindTicket(ticket),
    shard,
    isHeld ? HELD_DUE_AT : dueAt,
    isHeld ? dueAt : null,
    place === null ? null : place.seq,
    place === null ? null : Date.parse(place.queuedAt),
    released?.leaseFence ?? null,
    ticket.queueName ?? null,
  ]);
}

const INSERT_RETRY = `
  insert into retry_timers (
    ${TICKET_COLUMNS}, shard, due_at, held_due_at, queue_seq, queued_at, released_fence, queue_name
  )
  values (${TICKET_PLACES}, ?, ?, ?, ?, ?, ?, ?)`;

export function writeTimers(
  connection: Connection,
  params: { readonly plan: CommitPlan; readonly now: number },
): void {
  const { plan, now } = params;
  if (plan.revokesAll) {
    connection.run('delete from timers where execution_id = :execution_id', {
      execution_id: plan.executionId,
    });
  }
  for (const name of [...plan.firesTimers, ...plan.cancelsTimers]) {
    connection.run('delete from timers where execution_id = :execution_id and name = :name', {
      execution_id: plan.executionId,
      name,
    });
  }
  for (const timer of plan.startsTimers) {
    connection.run(
      `insert into timers (execution_id, name, tenant_id, due_at, purpose, node_id, visit)
       values (:execution_id, :name, :tenant_id, :due_at, :purpose, :node_id, :visit)
       on conflict (execution_id, name) do update
       set due_at = excluded.due_at,
           purpose = excluded.purpose,
           node_id = excluded.node_id,
           visit = excluded.visit,
           left_ms = null`,
      {
        execution_id: timer.executionId ?? plan.executionId,
        name: timer.name,
        tenant_id: plan.tenantId,
        due_at: dueAt(timer.when, now),
        purpose: timer.purpose,
        node_id: timer.nodeId,
        visit: timer.visit,
      },
    );
  }
  moveTimers(connection, { plan, now });
}

/** A plan never ends a timer that it holds or releases. */
function moveTimers(
  connection: Connection,
  { plan, now }: { readonly plan: CommitPlan; readonly now: number },
): void {
  const { executionId: execution_id } = plan;
  for (const name of plan.holdsTimers) {
    connection.run(
      `update timers
       set left_ms = due_at - :now,
           due_at = ${HELD_DUE_AT}
       where execution_id = :execution_id
         and name = :name
         and left_ms is null
         and due_at > :now`,
      { execution_id, name, now },
    );
  }
  for (const name of plan.releasesTimers) {
    connection.run(
      `update timers
       set due_at = :now + left_ms,
           left_ms = null
       where execution_id = :execution_id and name = :name and left_ms is not null`,
      { execution_id, name, now },
    );
  }
}

function dueAt(when: TimerSpec, now: number): number {
  return 'delayMs' in when ? now + when.delayMs : Date.parse(when.until);
}
