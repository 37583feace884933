import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';

import type { WorkTicket } from '../../../../src/shared/domain/work/work-item.ts';
import type { CommitPlan } from '../../../../src/shared/store/commit.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';
import {
  atOnce,
  claim,
  commitOne,
  judge,
  start,
  startWithItems,
  type Started,
  requeueNow,
} from '../contract/drive.ts';
import { makeEvent, makeItem, makePlan, makeTicket } from '../contract/make.ts';
import { connectRaw, waitUntilBlocked } from './raw-client.ts';

/*
 * Items move from retry timer to queue to lease without a lock on their execution. Each case stops
 * such a move halfway in a separate transaction, starts a revoking commit, and only then finishes
 * the move.
 */

let database: TestStore;
let mover: pg.Client;
let watcher: pg.Client;

test.before(async () => {
  database = await openTestStore('postgres');
  mover = await connectRaw(database.url);
  watcher = await connectRaw(database.url);
});

test.after.always(async () => {
  await mover.end();
  await watcher.end();
  await database.close();
});

test.serial('a cancel revokes the lease of a claim that it met half way', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}, {}]);
  await mover.query('begin');
  await moveToLeases(tickets[0]);
  const cancelled = judge(database.store, cancelPlan(execution));
  await waitUntilBlocked(watcher);
  await mover.query('commit');
  t.like(await cancelled, { accepted: true, lastSequence: 2 });
  await holdsNothing(t, execution);
});

test.serial('a cancel takes an item whose claim was rolled back off the queue', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}, {}]);
  await mover.query('begin');
  await moveToLeases(tickets[0]);
  const cancelled = judge(database.store, cancelPlan(execution));
  await waitUntilBlocked(watcher);
  await mover.query('rollback');
  t.like(await cancelled, { accepted: true });
  await holdsNothing(t, execution);
});

test.serial('a cancel revokes a retry that it met on its way to the queue', async (t) => {
  const execution = await start(database.store);
  const ticket = makeTicket(execution, { attempt: 1 });
  await commitOne(
    database.store,
    makePlan(execution, { retries: [{ ticket, delayMs: 60_000, released: null }] }),
  );
  await mover.query('begin');
  await moveToQueue(ticket);
  const cancelled = judge(database.store, cancelPlan(execution));
  await waitUntilBlocked(watcher);
  await mover.query('commit');
  t.like(await cancelled, { accepted: true });
  await holdsNothing(t, execution);
});

test.serial('one item may be revoked on its way as well', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}, {}]);
  const [moving, other] = tickets;
  if (moving === undefined || other === undefined) throw new Error('no items were made');
  await mover.query('begin');
  await moveToLeases(moving);
  const revoked = judge(
    database.store,
    makePlan(execution, { revokesItems: [moving.workItemId], events: [makeEvent()] }),
  );
  await waitUntilBlocked(watcher);
  await mover.query('commit');
  t.like(await revoked, { accepted: true, lastSequence: 2 });
  const claimed = await claim(database.store, execution.tenantId);
  t.deepEqual(
    claimed.map(({ ticket }) => ticket.workItemId),
    [other.workItemId],
  );
  const found = await database.store.work.find(moving.workItemId, moving.tenantId);
  t.is(found?.place, 'settled');
});

test.serial('a cancel sees the items of a commit that it waited for', async (t) => {
  const execution = await start(database.store);
  // The execution is locked, so that both commits begin before either can proceed.
  await mover.query('begin');
  await mover.query('select id from executions where id = $1 for update', [uuidOf(execution)]);
  const ticket = makeTicket(execution);
  const first = judge(
    database.store,
    makePlan(execution, { events: [makeEvent()], newItems: [makeItem(ticket)] }),
  );
  await waitUntilBlocked(watcher);
  const cancelled = judge(database.store, cancelPlan(execution));
  await waitUntilBlocked(watcher, 2);
  await mover.query('commit');
  t.like(await first, { accepted: true, lastSequence: 2 });
  t.like(await cancelled, { accepted: true, lastSequence: 3 });
  await holdsNothing(t, execution);
});

test.serial('a requeue that waited for a cancel finds the execution ended', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}]);
  const [ticket] = tickets;
  if (ticket === undefined) throw new Error('no item was made');
  await claim(database.store, execution.tenantId);
  await database.store.work.settleUnfenced({
    workItemId: ticket.workItemId,
    tenantId: ticket.tenantId,
    record: null,
    deadLetter: 'boom',
  });
  await mover.query('begin');
  await mover.query('select id from executions where id = $1 for update', [uuidOf(execution)]);
  const cancelled = judge(database.store, cancelPlan(execution));
  await waitUntilBlocked(watcher);
  const requeued = requeueNow(database.store, ticket.workItemId, ticket.tenantId);
  await waitUntilBlocked(watcher, 2);
  await mover.query('commit');
  t.like(await cancelled, { accepted: true });
  t.is(await requeued, 'ended');
  await holdsNothing(t, execution);
});

test.serial('a cancel that waited for a requeue revokes the item', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}]);
  const [ticket] = tickets;
  if (ticket === undefined) throw new Error('no item was made');
  await claim(database.store, execution.tenantId);
  await database.store.work.settleUnfenced({
    workItemId: ticket.workItemId,
    tenantId: ticket.tenantId,
    record: null,
    deadLetter: 'boom',
  });
  await mover.query('begin');
  await mover.query('select id from executions where id = $1 for update', [uuidOf(execution)]);
  const requeued = requeueNow(database.store, ticket.workItemId, ticket.tenantId);
  await waitUntilBlocked(watcher);
  const cancelled = judge(database.store, { ...cancelPlan(execution), expectedSequence: 1 });
  await waitUntilBlocked(watcher, 2);
  await mover.query('commit');
  t.is(await requeued, 'requeued');
  t.like(await cancelled, { accepted: true });
  await holdsNothing(t, execution);
});

test.serial('neighbours of a cancel that starts over are written once', async (t) => {
  const { tickets, ...execution } = await startWithItems(database.store, [{}]);
  const neighbours = await atOnce(3, () => start(database.store));
  await mover.query('begin');
  await moveToLeases(tickets[0]);
  const verdicts = database.store.executions.commit([
    ...neighbours.map((neighbour) => makePlan(neighbour, { events: [makeEvent()] })),
    cancelPlan(execution),
  ]);
  await waitUntilBlocked(watcher);
  await mover.query('commit');
  t.true((await verdicts).every(({ accepted }) => accepted));
  for (const { executionId } of neighbours) {
    t.like(await database.store.executions.find(executionId, null), { lastSequence: 2 });
  }
  await holdsNothing(t, execution);
});

test.serial('a hold that meets a promotion starts over, and holds the item', async (t) => {
  const { tickets: _, ...execution } = await startWithItems(database.store, []);
  const ticket = makeTicket(execution, { attempt: 1 });
  const retries = [{ ticket, delayMs: 60_000, released: null }];
  await commitOne(database.store, makePlan(execution, { retries }));
  await mover.query('begin');
  await moveToQueue(ticket);
  const held = judge(database.store, makePlan(execution, { waitingItems: 'hold' }));
  await waitUntilBlocked(watcher);
  await mover.query('commit');
  t.like(await held, { accepted: true });
  t.deepEqual(await claim(database.store, execution.tenantId), []);
});

test.serial('claims, promotions and cancels in a crowd leave nothing behind', async (t) => {
  const { store } = database;
  for (let round = 0; round < 10; round += 1) {
    const executions = await atOnce(10, async () => {
      const { tickets: _, ...execution } = await startWithItems(store, [{}, {}]);
      const retries = [1, 2].map((attempt) => ({
        ticket: makeTicket(execution, { attempt }),
        delayMs: 1,
        released: null,
      }));
      await commitOne(store, makePlan(execution, { retries }));
      return execution;
    });
    await Promise.all([
      ...executions.map(({ tenantId }) => atOnce(2, () => claim(store, tenantId, { limit: 1 }))),
      ...executions.map((execution) => judge(store, cancelPlan(execution))),
      atOnce(5, () => store.timers.promoteRetries({ limit: 5 })),
    ]);
    for (const execution of executions) await holdsNothing(t, execution);
  }
});

function cancelPlan(execution: Started): CommitPlan {
  return makePlan(execution, {
    status: 'cancelled',
    events: [makeEvent({ kind: 'WorkflowCancelled', nodeId: null, payload: '{}' })],
    revokesAll: true,
  });
}

function uuidOf({ executionId }: Started): string {
  return executionId.slice('exec_'.length);
}

const TICKET = `work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms`;

/** The statement of a claim, in the open transaction. */
async function moveToLeases(ticket: WorkTicket | undefined): Promise<void> {
  await mover.query(
    `with taken as (delete from work_queue where work_item_id = $1 returning ${TICKET})
     insert into work_leases (${TICKET}, worker_id, lease_fence, claimed_at, expires_at)
     select ${TICKET}, 'w', nextval('lease_fence_seq'), now(), now() + interval '30 seconds'
     from taken`,
    [ticket?.workItemId],
  );
}

/** The statement that promotes a retry, in the open transaction. */
async function moveToQueue(ticket: WorkTicket): Promise<void> {
  await mover.query(
    `with due as (delete from retry_timers where work_item_id = $1 returning shard, ${TICKET})
     insert into work_queue (${TICKET}, shard, queue_key, enqueued_at)
     select ${TICKET}, shard, tenant_id || '/' || queue, now()
     from due`,
    [ticket.workItemId],
  );
}

async function holdsNothing(t: ExecutionContext, execution: Started): Promise<void> {
  for (const table of ['work_queue', 'work_leases', 'retry_timers', 'timers']) {
    const { rows } = await watcher.query(`select from ${table} where execution_id = $1`, [
      uuidOf(execution),
    ]);
    t.is(rows.length, 0, table);
  }
}
