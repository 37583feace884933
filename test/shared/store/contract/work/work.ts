import { randomUUID } from 'node:crypto';

import type { ClaimRef } from '../../../../../src/shared/store/store.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import {
  atOnce,
  claim,
  claimOne,
  commitOne,
  placeOf,
  requeueNow,
  settleOf,
  start,
  startWithItems,
} from '../drive.ts';
import {
  makeCompleted,
  makeEvent,
  makeExecutionId,
  makeItem,
  makeKey,
  makePlan,
  makeTenantId,
  makeTicket,
  makeWorkItemId,
} from '../make.ts';

const COMPETITORS = 20;

export function workCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a claimed item carries its ticket, its record and its lease', async (t, { store }) => {
    const execution = await start(store);
    const ticket = makeTicket(execution, {
      nodeId: 'größe',
      visit: 3,
      attempt: 2,
      priority: 5,
      nodeTimeoutMs: 300_000,
      scheduleToStartMs: 60_000,
    });
    const item = makeItem(ticket);
    await commitOne(store, makePlan(execution, { newItems: [item] }));
    const claimed = await claimOne(store, execution.tenantId, { leaseMs: 20_000 });
    t.deepEqual(claimed.ticket, ticket);
    t.deepEqual(claimed.record, item.record);
    t.like(claimed, { workerId: 'worker-1', timedOut: false, hasRecordedOutput: false });
    t.true(Number.isSafeInteger(claimed.leaseFence) && claimed.leaseFence >= 1);
    t.is(msBetween(claimed.claimedAt, claimed.expiresAt), 20_000);
    t.is(msBetween(claimed.claimedAt, claimed.deadlineAt), 300_000);
    const found = await store.work.find(ticket.workItemId, execution.tenantId);
    t.is(claimed.definitionId, found?.definitionId ?? null);
  });

  check('a claim with an id is found by it while its leases last', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}, {}, {}]);
    const [claimId, other] = [randomUUID(), randomUUID()];
    const [first, second] = await claim(store, tenantId, { limit: 2, claimId });
    await claim(store, tenantId, { claimId: other });
    const ask = (changes: Partial<ClaimRef> = {}) =>
      store.work.listClaimed({ tenantId, workerId: 'worker-1', claimId, ...changes });
    t.deepEqual(
      (await ask()).map(({ queuePlace: _, ...item }) => item),
      [first, second].map((item) => item ?? t.fail()),
    );
    t.deepEqual(await ask({ tenantId: makeTenantId() }), []);
    t.deepEqual(await ask({ workerId: 'worker-2' }), []);
    t.deepEqual(await ask({ claimId: randomUUID() }), []);
    t.is((await ask({ claimId: other })).length, 1);
    if (first === undefined || second === undefined) return t.fail();
    await commitOne(store, makePlan(first.ticket, { settles: [settleOf(first)] }));
    t.deepEqual((await ask()).map(idOf), [second.ticket.workItemId]);
  });

  check('claims together are found each by its own id', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}, {}, {}]);
    const ids = [randomUUID(), null, randomUUID()];
    const workerId = 'worker-1';
    const claims = await store.work.claimTogether({
      tenantId,
      queues: ['python_tool'],
      leaseMs: 30_000,
      shards: null,
      claimers: ids.map((claimId) => ({ workerId, limit: 1, claimId })),
    });
    for (const [index, claimId] of ids.entries()) {
      if (claimId === null) continue;
      const found = await store.work.listClaimed({ tenantId, workerId, claimId });
      t.deepEqual(found.map(idOf), (claims[index] ?? []).map(idOf));
      t.is(found.length, 1);
    }
  });

  check('an attempt without a time limit has no deadline', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{ nodeTimeoutMs: null }]);
    t.is((await claimOne(store, tenantId)).deadlineAt, null);
  });

  check('an empty queue gives nothing', async (t, { store }) => {
    t.deepEqual(await claim(store, makeTenantId()), []);
  });

  check('only items of the tenant and of the queues asked for are given', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(store, [
      { queue: 'python_tool' },
      { queue: 'java_tool' },
      { queue: 'engine' },
    ]);
    t.deepEqual(await claim(store, makeTenantId(), { queues: ['python_tool', 'java_tool'] }), []);
    const java = await claim(store, tenantId, { queues: ['java_tool'] });
    t.deepEqual(java.map(idOf), [tickets[1]?.workItemId]);
    const both = await claim(store, tenantId, { queues: ['python_tool', 'java_tool'] });
    t.deepEqual(both.map(idOf), [tickets[0]?.workItemId]);
  });

  check('items come by priority, then by age, over all queues asked for', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(store, [
      { priority: 5, queue: 'python_tool' },
      { priority: 9, queue: 'java_tool' },
      { priority: 0, queue: 'java_tool' },
      { priority: 5, queue: 'java_tool' },
      { priority: 0, queue: 'python_tool' },
      { priority: 5, queue: 'python_tool' },
    ]);
    const queues = ['java_tool', 'python_tool'] as const;
    const first = await claim(store, tenantId, { queues, limit: 4 });
    const second = await claim(store, tenantId, { queues, limit: 4 });
    const order = [2, 4, 0, 3, 5, 1].map((index) => tickets[index]?.workItemId);
    t.deepEqual([...first, ...second].map(idOf), order);
    t.is(first.length, 4);
  });

  check('the first of a long queue is the most urgent, not the oldest', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(store, [
      { priority: 9 },
      { priority: 5 },
      { priority: 0 },
      { priority: 5 },
    ]);
    const order = [2, 1, 3, 0];
    for (const index of order) {
      const claimed = await claim(store, tenantId, { limit: 1 });
      t.deepEqual(claimed.map(idOf), [tickets[index]?.workItemId]);
    }
  });

  check('items of several commits come in the order of the commits', async (t, { store }) => {
    const execution = await start(store);
    const tickets: WorkTicket[] = [];
    for (let index = 0; index < 5; index += 1) {
      const ticket = makeTicket(execution);
      tickets.push(ticket);
      await commitOne(store, makePlan(execution, { newItems: [makeItem(ticket)] }));
    }
    const claimed = [];
    for (let index = 0; index < 5; index += 1) {
      claimed.push(...(await claim(store, execution.tenantId, { limit: 1 })));
    }
    t.deepEqual(
      claimed.map(idOf),
      tickets.map(({ workItemId }) => workItemId),
    );
  });

  check('engine items are claimed over all tenants, by shard', async (t, { store }) => {
    const [first, second] = [
      await start(store, { create: { shard: 11 } }),
      await start(store, { create: { shard: 12 } }),
    ];
    const tickets = [first, second].map((each) => makeTicket(each, { queue: 'engine' }));
    for (const [index, execution] of [first, second].entries()) {
      const ticket = tickets[index];
      if (ticket === undefined) throw new Error('no item was made');
      await commitOne(store, makePlan(execution, { newItems: [makeItem(ticket)] }));
    }
    const own = async (shards: readonly number[] | null) =>
      (await claim(store, null, { shards, limit: 100 }))
        .map(idOf)
        .filter((id) => tickets.some(({ workItemId }) => workItemId === id));
    t.deepEqual(await own([]), []);
    t.deepEqual(await own([12]), [tickets[1]?.workItemId]);
    t.deepEqual(await own([12]), []);
    t.deepEqual(await own(null), [tickets[0]?.workItemId]);
  });

  check('an engine item has no record', async (t, { store }) => {
    const { tickets } = await startWithItems(store, [{ queue: 'engine' }]);
    const claimed = await claim(store, null, { limit: 100 });
    const own = claimed.find((item) => idOf(item) === tickets[0]?.workItemId);
    t.is(own?.record, null);
    t.is(own?.definitionId, null);
    t.deepEqual(own?.ticket, tickets[0]);
  });

  check('an item that waited too long is left for its expiry', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [
      { scheduleToStartMs: 0 },
      { scheduleToStartMs: 60_000 },
      { scheduleToStartMs: null },
    ]);
    const [late, ...inTime] = tickets;
    if (late === undefined) throw new Error('no item was made');
    const claimed = await claim(store, execution.tenantId);
    t.deepEqual(
      claimed.map(idOf),
      inTime.map(({ workItemId }) => workItemId),
    );
    const overdue = await store.work.listOverdueQueued({ limit: 1000 });
    const own = overdue.filter(({ executionId }) => executionId === execution.executionId);
    t.deepEqual(own, [late]);
    await commitOne(
      store,
      makePlan(execution, { expiresQueued: [late.workItemId], events: [makeEvent()] }),
    );
    t.is(await placeOf(store, late), 'settled');
    const left = await store.work.listOverdueQueued({ limit: 1000 });
    t.false(left.some(({ executionId }) => executionId === execution.executionId));
  });

  check(
    'overdue items are listed oldest first, as many as asked for',
    async (t, { store, age }) => {
      const { tickets } = await startWithItems(store, [{ scheduleToStartMs: 0 }]);
      await age({ table: 'work_queue', columns: ['start_before'], byMs: 3_600_000 });
      await startWithItems(store, [{ scheduleToStartMs: 0 }]);
      const all = await store.work.listOverdueQueued({ limit: 1000 });
      const positions = all.map(({ workItemId }) => workItemId);
      t.true(positions.indexOf(tickets[0]?.workItemId ?? makeWorkItemId()) < all.length - 1);
      t.is((await store.work.listOverdueQueued({ limit: 1 })).length, 1);
    },
  );

  check('twenty claimers never get the same item or the same fence', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(
      store,
      Array.from({ length: 50 }, (_, index) => ({ priority: index % 3 })),
    );
    const rounds = await atOnce(COMPETITORS, async (index) => {
      const claimed = [];
      for (;;) {
        const batch = await claim(store, tenantId, { limit: 3, workerId: `worker-${index}` });
        const order = batch.map(({ ticket }) => rank(tickets, ticket));
        t.deepEqual(
          order,
          order.toSorted((left, right) => left - right),
        );
        if (batch.length === 0) break;
        claimed.push(...batch);
      }
      return claimed;
    });
    const claimed = rounds.flat();
    t.deepEqual(
      claimed.map(idOf).toSorted(),
      tickets.map(({ workItemId }) => workItemId).toSorted(),
    );
    t.is(new Set(claimed.map(({ leaseFence }) => leaseFence)).size, 50);
    for (const { ticket, workerId } of claimed) {
      t.is((await store.work.find(ticket.workItemId, tenantId))?.lease?.workerId, workerId);
    }
  });

  check('those who claim together get what one after another they would have', async (t, db) => {
    const { store } = db;
    const { tenantId, tickets } = await startWithItems(store, [
      { priority: 5 },
      { priority: 5, queue: 'java_tool' },
      { priority: 0 },
      { priority: 9 },
      { priority: 5 },
    ]);
    await startWithItems(store, [{ priority: 0 }]);
    const ids = tickets.map(({ workItemId }) => String(workItemId));
    const claimers = [1, 0, 2, 1, 5, 1].map((limit, index) => ({
      workerId: `worker-${index}`,
      limit,
    }));
    const queues = ['python_tool', 'java_tool'] as const;
    const scope = { tenantId, queues, leaseMs: 30_000, shards: null };
    const claimed = await store.work.claimTogether({ ...scope, claimers });
    const order = [[2], [], [0, 1], [4], [3], []];
    t.deepEqual(
      claimed.map((items) => items.map((item) => ids.indexOf(idOf(item)))),
      order,
    );
    for (const [index, items] of claimed.entries()) {
      for (const { ticket, leaseFence, workerId } of items) {
        t.is(workerId, `worker-${index}`);
        t.like((await store.work.find(ticket.workItemId, tenantId))?.lease, {
          workerId,
          leaseFence,
        });
      }
    }
    const fences = claimed.flat().map(({ leaseFence }) => leaseFence);
    t.deepEqual(
      fences,
      [...new Set(fences)].toSorted((left, right) => left - right),
    );
    t.deepEqual(await store.work.claimTogether({ ...scope, claimers: [] }), []);
  });

  check('twenty groups that claim together share nothing', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(
      store,
      Array.from({ length: 100 }, () => ({})),
    );
    const rounds = await atOnce(COMPETITORS, (group) =>
      store.work.claimTogether({
        tenantId,
        queues: ['python_tool'],
        leaseMs: 30_000,
        shards: null,
        claimers: Array.from({ length: 5 }, (_, index) => ({
          workerId: `worker-${group}-${index}`,
          limit: 1,
        })),
      }),
    );
    t.deepEqual(
      rounds.flat(2).map(idOf).toSorted(),
      tickets.map(({ workItemId }) => workItemId).toSorted(),
    );
    t.true(rounds.flat().every((items) => items.length <= 1));
    t.is(new Set(rounds.flat(2).map(({ workerId }) => workerId)).size, 100);
  });

  check('fences only grow, over claims, births and retries', async (t, { store }) => {
    const { tenantId, executionId } = await startWithItems(store, [{}]);
    const execution = { tenantId, executionId };
    const fences: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const item = await claimOne(store, tenantId);
      const born = makeTicket(execution, { queue: 'engine' });
      const verdict = await commitOne(
        store,
        makePlan(execution, {
          settles: [settleOf(item)],
          retries: [{ ticket: { ...item.ticket, attempt: round + 1 }, delayMs: 0, released: null }],
          bornLeased: [{ ticket: born, leaseTo: 'scheduler-1', leaseMs: 1_000 }],
        }),
      );
      fences.push(item.leaseFence, ...verdict.fences);
    }
    t.is(fences.length, 10);
    t.deepEqual(
      fences,
      [...new Set(fences)].toSorted((left, right) => left - right),
    );
  });

  check('an item is found at each place it goes through', async (t, { store }) => {
    const { tickets, ...execution } = await startWithItems(store, [{}]);
    const [ticket] = tickets;
    if (ticket === undefined) throw new Error('no item was made');
    t.like(await store.work.find(ticket.workItemId, ticket.tenantId), {
      record: makeItem(ticket).record,
      lease: null,
      place: 'queued',
    });
    const leased = await claimOne(store, execution.tenantId);
    const {
      record: _,
      definitionId: __,
      hasRecordedOutput: ___,
      leftNothing: ____,
      ...lease
    } = leased;
    t.like(await store.work.find(ticket.workItemId, ticket.tenantId), { place: 'leased', lease });
    await commitOne(
      store,
      makePlan(execution, {
        settles: [settleOf(leased)],
        retries: [{ ticket: { ...ticket, attempt: 1 }, delayMs: 60_000, released: null }],
      }),
    );
    t.is(await placeOf(store, ticket), 'retrying');
    await commitOne(store, makePlan(execution, { revokesItems: [ticket.workItemId] }));
    t.is(await placeOf(store, ticket), 'settled');
  });

  check("another tenant's item is like an unknown one", async (t, { store }) => {
    const { tickets } = await startWithItems(store, [{}]);
    const id = tickets[0]?.workItemId ?? makeWorkItemId();
    t.is(await store.work.find(id, makeTenantId()), null);
    t.is(await store.work.find(makeWorkItemId(), makeTenantId()), null);
  });

  check('a recorded result is found under its key, the first one forever', async (t, { store }) => {
    const { tickets, tenantId, executionId } = await startWithItems(store, [{}, {}]);
    const first = { output: { text: 'Größe', list: [1, 2.5, null] }, statePatch: { seen: true } };
    const settle = async (record: typeof first | { output: string; statePatch: {} }) => {
      const item = await claimOne(store, tenantId, { limit: 1 });
      const { workItemId } = item.ticket;
      await store.work.settleUnfenced({ workItemId, tenantId, record, deadLetter: 'no fence' });
      await requeueNow(store, workItemId, tenantId);
      return item;
    };
    const { ticket, hasRecordedOutput } = await settle(first);
    t.false(hasRecordedOutput);
    const { idempotencyKey } = ticket;
    const [again, other] = await claim(store, tenantId);
    t.deepEqual(
      [again, other].map((item) => [item?.ticket.workItemId, item?.hasRecordedOutput]),
      [
        [tickets[1]?.workItemId, false],
        [ticket.workItemId, true],
      ],
    );
    await store.work.settleUnfenced({
      workItemId: ticket.workItemId,
      tenantId,
      record: { output: 'later', statePatch: {} },
      deadLetter: null,
    });
    t.deepEqual(await store.work.recordedOutput({ executionId, idempotencyKey }), first);
    t.is(await store.work.recordedOutput({ executionId, idempotencyKey: makeKey() }), null);
    t.is(await store.work.recordedOutput({ executionId: makeExecutionId(), idempotencyKey }), null);
  });

  check('a result that an older process recorded in an event is found', async (t, database) => {
    const { store } = database;
    const { tickets, tenantId, executionId } = await startWithItems(store, [{}, {}]);
    const [withPatch, without] = tickets.map(({ idempotencyKey }) => idempotencyKey);
    const patched = makeCompleted({ n: 1 }, { seen: true });
    await commitOne(
      store,
      makePlan({ executionId, tenantId }, { events: [patched, makeCompleted(null)] }),
    );
    const id = database.url.startsWith('sqlite:') ? executionId : executionId.slice('exec_'.length);
    for (const [key, sequence] of [
      [withPatch, 2],
      [without, 3],
    ]) {
      await changeTable(database.url)(
        `insert into recorded_outputs (
           execution_id, idempotency_key, work_item_id, event_sequence, created_at
         ) select execution_id, '${key}', work_item_id, ${sequence}, created_at
         from work_items where execution_id = '${id}' limit 1`,
      );
    }
    const claimed = await claim(store, tenantId);
    t.deepEqual(
      claimed.map((item) => item.hasRecordedOutput),
      [true, true],
    );
    const read = (idempotencyKey = '') =>
      store.work.recordedOutput({ executionId, idempotencyKey });
    t.deepEqual(await read(withPatch), { output: { n: 1 }, statePatch: { seen: true } });
    t.deepEqual(await read(without), { output: null, statePatch: {} });
  });
}

function idOf(item: { readonly ticket: WorkTicket }): string {
  return item.ticket.workItemId;
}

/** The position in the order of claims. */
function rank(tickets: readonly WorkTicket[], ticket: WorkTicket): number {
  const age = tickets.findIndex(({ workItemId }) => workItemId === ticket.workItemId);
  return ticket.priority * tickets.length + age;
}

function msBetween(from: string, to: string | null): number | null {
  return to === null ? null : Date.parse(to) - Date.parse(from);
}
