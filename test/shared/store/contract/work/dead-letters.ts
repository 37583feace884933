import type { ClaimedItem, ListDeadLetters, Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  atOnce,
  claim,
  claimOne,
  commitOne,
  placeOf,
  requeueNow,
  settleOf,
  startWithItems,
} from '../drive.ts';
import { makeCause, makeEvent, makePlan, makeTenantId, makeWorkItemId } from '../make.ts';

const COMPETITORS = 20;

export function deadLetterCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an item that failed permanently is listed with its reason', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{ attempt: 2, nodeId: 'pay' }]);
    const item = await claimOne(store, execution.tenantId);
    const { createdAt } = await commitOne(store, burial(item, 'card refused'));
    const letters = await listAll(store, item);
    t.deepEqual(letters, [
      {
        workItemId: item.ticket.workItemId,
        executionId: execution.executionId,
        nodeId: 'pay',
        queue: 'python_tool',
        tool: 'greetings.hello',
        attempt: 2,
        error: 'card refused',
        deadLetteredAt: createdAt,
      },
    ]);
    t.is(await placeOf(store, item.ticket), 'dead_lettered');
    const { tenantId, workItemId } = item.ticket;
    t.deepEqual(await store.work.findDeadLetter(workItemId, tenantId), letters[0]);
    t.is(await store.work.findDeadLetter(workItemId, makeTenantId()), null);
    t.deepEqual(
      await store.work.listDeadLetters({ tenantId: makeTenantId(), limit: 10, before: null }),
      [],
    );
    t.is(tickets.length, 1);
  });

  check(
    'dead letters are found by workflow and node, and read on behind one',
    async (t, { store }) => {
      const { tickets: _, ...execution } = await startWithItems(store, [
        { nodeId: 'pay' },
        { nodeId: 'ship' },
        { nodeId: 'pay' },
      ]);
      const { tenantId } = execution;
      const items = await claim(store, tenantId);
      await commitOne(
        store,
        makePlan(execution, {
          settles: items.map((item) => settleOf(item)),
          deadLetters: items.map(({ ticket }) => ({
            workItemId: ticket.workItemId,
            attempt: 0,
            error: 'boom',
            ...makeCause(),
          })),
        }),
      );
      const of = { tenantId, limit: 10, before: null };
      const list = async (more: Partial<ListDeadLetters>) =>
        (await store.work.listDeadLetters({ ...of, ...more })).map(({ workItemId }) => workItemId);
      const all = await list({});
      t.is(all.length, 3);
      t.is((await list({ nodeId: 'pay' })).length, 2);
      t.is((await list({ workflowId: 'greet', nodeId: 'ship' })).length, 1);
      t.deepEqual(await list({ workflowId: 'other' }), []);
      // All of them have the same time, so the id determines where the next page begins.
      const read: string[] = [];
      let cursor: ListDeadLetters['cursor'] = null;
      for (let page = 0; page < 4; page += 1) {
        const [letter] = await store.work.listDeadLetters({ ...of, limit: 1, cursor });
        if (letter === undefined) break;
        read.push(letter.workItemId);
        cursor = letter;
      }
      t.deepEqual(read, all);
    },
  );

  check('a dead letter outlives its execution', async (t, { store }) => {
    const item = await claimNew(store);
    await commitOne(store, { ...burial(item, 'boom'), status: 'failed', revokesAll: true });
    t.is((await listAll(store, item)).length, 1);
    t.is(await placeOf(store, item.ticket), 'dead_lettered');
  });

  check('an engine item leaves no dead letter', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{ queue: 'engine' }]);
    const [ticket] = tickets;
    if (ticket === undefined) throw new Error('no item was made');
    const { workItemId } = ticket;
    await commitOne(
      store,
      makePlan(execution, {
        revokesItems: [workItemId],
        deadLetters: [{ workItemId, attempt: 0, error: 'boom', ...makeCause() }],
      }),
    );
    const letters = await store.work.listDeadLetters({
      tenantId: execution.tenantId,
      limit: 10,
      before: null,
    });
    t.deepEqual(letters, []);
  });

  check('dead letters are listed newest first, in pages', async (t, { store, age }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}]);
    for (const _ of tickets) {
      const [item] = await store.work.claim({
        tenantId: execution.tenantId,
        queues: ['python_tool'],
        workerId: 'w',
        leaseMs: 30_000,
        limit: 1,
        shards: null,
      });
      if (item === undefined) throw new Error('nothing was claimed');
      await commitOne(store, burial(item, 'boom'));
      await age({ table: 'dead_letters', columns: ['dead_lettered_at'], byMs: 1_000 });
    }
    const { tenantId } = execution;
    const newest = tickets.toReversed().map(({ workItemId }) => workItemId);
    const first = await store.work.listDeadLetters({ tenantId, limit: 2, before: null });
    const before = first.at(-1)?.deadLetteredAt ?? null;
    const second = await store.work.listDeadLetters({ tenantId, limit: 2, before });
    t.deepEqual(
      [first, second].map((page) => page.map(({ workItemId }) => workItemId)),
      [newest.slice(0, 2), newest.slice(2)],
    );
  });

  check('a requeue on an older state of the execution does nothing', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}]);
    const [ticket] = tickets;
    if (ticket === undefined) return t.fail();
    const item = await claimOne(store, execution.tenantId);
    const { workItemId, tenantId } = item.ticket;
    const record = null;
    await store.work.settleUnfenced({ workItemId, tenantId, record, deadLetter: 'boom' });
    const stale = { workItemId, tenantId, expectedSequence: 0 };
    t.is(await store.work.requeue({ ...stale, actorId: 'token:ops' }), 'moved');
    t.is(await placeOf(store, ticket), 'dead_lettered');
  });

  check('a requeued item starts over: attempts, age and time to start', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [
      { attempt: 2, nodeTimeoutMs: 5_000, scheduleToStartMs: 60_000 },
    ]);
    const [ticket] = tickets;
    if (ticket === undefined) throw new Error('no item was made');
    await commitOne(store, burial(await claimOne(store, execution.tenantId), 'boom'));
    t.is(await requeueNow(store, ticket.workItemId, execution.tenantId), 'requeued');
    t.is(await placeOf(store, ticket), 'queued');
    const again = await claimOne(store, execution.tenantId);
    t.deepEqual(again.ticket, { ...ticket, attempt: 0 });
    t.deepEqual(await listAll(store, again), []);
  });

  check('only a dead letter of a live execution is put back', async (t, { store }) => {
    const item = await claimNew(store);
    const { workItemId, tenantId } = item.ticket;
    t.is(await requeueNow(store, makeWorkItemId(), tenantId), 'missing');
    t.is(await requeueNow(store, workItemId, makeTenantId()), 'missing');
    t.is(await requeueNow(store, workItemId, tenantId), 'not_dead');
    await commitOne(store, burial(item, 'boom'));
    await commitOne(
      store,
      makePlan(item.ticket, { status: 'failed', events: [makeEvent()], revokesAll: true }),
    );
    t.is(await requeueNow(store, workItemId, tenantId), 'ended');
    t.is(await placeOf(store, item.ticket), 'dead_lettered');
  });

  check(
    'exactly one of twenty attempts to put a dead letter back succeeds',
    async (t, { store }) => {
      const item = await claimNew(store);
      const { workItemId, tenantId } = item.ticket;
      await commitOne(store, burial(item, 'boom'));
      const answers = await atOnce(COMPETITORS, () => requeueNow(store, workItemId, tenantId));
      t.is(answers.filter((answer) => answer === 'requeued').length, 1);
      t.true(answers.every((answer) => answer === 'requeued' || answer === 'not_dead'));
      await claimOne(store, tenantId);
    },
  );

  check('a leased item is settled without a fence, its result kept', async (t, { store }) => {
    const item = await claimNew(store);
    const { workItemId, tenantId, executionId, idempotencyKey } = item.ticket;
    const record = { output: { n: 1.5, text: 'ünï' }, statePatch: { done: true } };
    const settle = () =>
      store.work.settleUnfenced({ workItemId, tenantId, record, deadLetter: null });
    t.true(await settle());
    t.is(await placeOf(store, item.ticket), 'settled');
    t.deepEqual(await store.work.recordedOutput({ executionId, idempotencyKey }), record);
    t.false(await settle());
    t.like(await store.executions.find(executionId, null), { lastSequence: 1 });
  });

  check('a failure without a fence leaves a dead letter', async (t, { store }) => {
    const item = await claimNew(store);
    const { workItemId, tenantId } = item.ticket;
    t.true(
      await store.work.settleUnfenced({ workItemId, tenantId, record: null, deadLetter: 'boom' }),
    );
    t.is(await placeOf(store, item.ticket), 'dead_lettered');
    t.like((await listAll(store, item))[0], { error: 'boom', attempt: 0 });
  });

  check(
    'nothing but a leased item of the tenant is settled without a fence',
    async (t, database) => {
      const { store } = database;
      const { tickets, tenantId } = await startWithItems(store, [{}]);
      const workItemId = tickets[0]?.workItemId ?? makeWorkItemId();
      const record = { output: 1, statePatch: {} };
      const before = await database.contents();
      for (const each of [
        { workItemId, tenantId },
        { workItemId: makeWorkItemId(), tenantId },
      ]) {
        t.false(await store.work.settleUnfenced({ ...each, record, deadLetter: 'boom' }));
      }
      t.deepEqual(await database.contents(), before);
      await claimOne(store, tenantId);
      const other = { workItemId, tenantId: makeTenantId() };
      t.false(await store.work.settleUnfenced({ ...other, record, deadLetter: null }));
    },
  );

  check('exactly one of twenty settles without a fence succeeds', async (t, { store }) => {
    const item = await claimNew(store);
    const { workItemId, tenantId, executionId, idempotencyKey } = item.ticket;
    const answers = await atOnce(COMPETITORS, (index) =>
      store.work.settleUnfenced({
        workItemId,
        tenantId,
        record: { output: index, statePatch: {} },
        deadLetter: null,
      }),
    );
    t.is(answers.filter(Boolean).length, 1);
    t.like(await store.work.recordedOutput({ executionId, idempotencyKey }), {
      output: answers.indexOf(true),
    });
  });
}

async function claimNew(store: Store): Promise<ClaimedItem> {
  const { tenantId } = await startWithItems(store, [{}]);
  return claimOne(store, tenantId);
}

/** Ends the item permanently. */
function burial(item: ClaimedItem, error: string) {
  const { workItemId, attempt } = item.ticket;
  return makePlan(item.ticket, {
    settles: [settleOf(item)],
    events: [makeEvent({ kind: 'NodeFailed' })],
    deadLetters: [{ workItemId, attempt, error, ...makeCause() }],
  });
}

function listAll(store: Store, item: ClaimedItem) {
  const { tenantId } = item.ticket;
  return store.work.listDeadLetters({ tenantId, limit: 100, before: null });
}
