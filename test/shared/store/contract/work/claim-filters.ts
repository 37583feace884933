import type { TenantId, WorkItemId } from '../../../../../src/shared/domain/ids.ts';
import type { WorkTicket } from '../../../../../src/shared/domain/work/work-item.ts';
import type { ClaimedItem, Store } from '../../../../../src/shared/store/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, claimOne, commitOne, judge, settleOf, start } from '../drive.ts';
import {
  makeExecutionId,
  makeItem,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTicket,
} from '../make.ts';

/** Claims for certain tools and named queues, and released items. */
export function claimFilterCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a claim for tools gets their items alone, by priority and age', async (t, { store }) => {
    const { tenantId, tickets } = await queue(store, [
      { tool: 'a.x', priority: 5 },
      { tool: 'b.x', priority: 5 },
      { tool: 'a.y', priority: 5 },
      { tool: 'b.y', priority: 2 },
      { tool: 'c.x' },
    ]);
    const [first, second, third, fourth, fifth] = tickets;
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['d.*', 'a.z', 'A.x'] })), []);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['a.*', 'b.?'], limit: 2 })), [
      fourth,
      first,
    ]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['b.x', '*y'] })), [second, third]);
    t.deepEqual(idsOf(await claim(store, tenantId)), [fifth]);
  });

  check('the marks of LIKE and GLOB stand for themselves', async (t, { store }) => {
    const { tenantId, tickets } = await queue(store, [
      { tool: 'm.a_c' },
      { tool: 'm.abc' },
      { tool: 'm.[ab]' },
      { tool: 'm.100%' },
    ]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['*a_*'] })), [tickets[0]]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['*[ab]*'] })), [tickets[2]]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['*0%'] })), [tickets[3]]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['%', 'm.%'] })), []);
  });

  check(
    'many tools, several queue types and several claimers share one claim',
    async (t, { store }) => {
      const { tenantId, tickets } = await queue(
        store,
        Array.from({ length: 60 }, (_, n) => ({
          tool: `m.f${n % 30}`,
          ...(n % 3 === 0 && { queue: 'java_tool' as const }),
        })),
      );
      const claimed = await store.work.claimTogether({
        tenantId,
        queues: ['python_tool', 'java_tool'],
        tools: ['m.*'],
        leaseMs: 30_000,
        shards: null,
        claimers: [
          { workerId: 'one', limit: 7 },
          { workerId: 'two', limit: 13 },
        ],
      });
      t.deepEqual(claimed.map(idsOf), [tickets.slice(0, 7), tickets.slice(7, 20)]);
      const rest = await claim(store, tenantId, {
        queues: ['python_tool', 'java_tool'],
        tools: ['m.f?', 'm.f1?', 'm.f2?'],
        limit: 100,
      });
      t.deepEqual(idsOf(rest), tickets.slice(20));
    },
  );

  check('a named queue is served where it is named, and none other', async (t, { store }) => {
    const { tenantId, tickets } = await queue(store, [
      { queueName: 'gpu', tool: 'm.a' },
      { tool: 'm.b' },
      { queueName: 'big', tool: 'm.a' },
    ]);
    t.deepEqual(idsOf(await claim(store, tenantId)), [tickets[1]]);
    t.deepEqual(idsOf(await claim(store, tenantId, { queueNames: ['tpu', 'default'] })), []);
    t.deepEqual(
      idsOf(await claim(store, tenantId, { queueNames: ['gpu', 'big'], tools: ['m.b'] })),
      [],
    );
    const claimed = await claim(store, tenantId, { queueNames: ['big', 'gpu'], tools: ['m.a'] });
    t.deepEqual(idsOf(claimed), [tickets[0], tickets[2]]);
    t.is(claimed[0]?.record?.queueName, 'gpu');
  });

  check(
    'items come back to their named queue, by a retry and by a requeue',
    async (t, { store }) => {
      const { tenantId, executionId, tickets } = await queue(store, [
        { queueName: 'gpu', tool: 'm.a' },
      ]);
      const at = { queueNames: ['gpu'], tools: ['m.*'] };
      for (const delayMs of [0, 1]) {
        const item = await claimOne(store, tenantId, at);
        const retry = { ticket: { ...item.ticket, queueName: 'gpu' }, delayMs, released: null };
        await commitOne(
          store,
          makePlan({ executionId, tenantId }, { settles: [settleOf(item)], retries: [retry] }),
        );
        await promote(store, tenantId, tickets);
      }
      const item = await claimOne(store, tenantId, at);
      await store.work.settleUnfenced({ ...item.ticket, record: null, deadLetter: 'boom' });
      const { lastSequence = 0 } = (await store.executions.find(executionId, tenantId)) ?? {};
      const requeued = await store.work.requeue({
        workItemId: item.ticket.workItemId,
        tenantId,
        expectedSequence: lastSequence,
        actorId: 'a',
      });
      t.is(requeued, 'requeued');
      t.deepEqual(idsOf(await claim(store, tenantId)), []);
      t.deepEqual(idsOf(await claim(store, tenantId, at)), tickets);
    },
  );

  check(
    'an item that an older process has queued is found by its tool as well',
    async (t, { store, url }) => {
      const { tenantId, tickets } = await queue(store, [{ tool: 'm.a' }, { tool: 'm.b' }]);
      await changeTable(url)(`update work_queue set tool = null where tenant_id = '${tenantId}'`);
      t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['m.b'] })), [tickets[1]]);
      await changeTable(url)(`update work_queue set tool = null where tenant_id = '${tenantId}'`);
      t.deepEqual(idsOf(await claim(store, tenantId)), [tickets[0]]);
    },
  );

  check('a very long name of a tool is queued and found by its beginning', async (t, { store }) => {
    const tool = `m.${'ü'.repeat(5_000)}`;
    const { tenantId, tickets } = await queue(store, [{ tool }]);
    t.deepEqual(idsOf(await claim(store, tenantId, { tools: ['m.üü*'] })), tickets);
  });

  check('a released item has its place again, and its attempt', async (t, { store }) => {
    const { tenantId, tickets } = await queue(store, [{}, {}, { scheduleToStartMs: 60_000 }]);
    await untilLater(store);
    const [first, second, third] = await claim(store, tenantId);
    if (third === undefined) throw new Error('nothing was claimed');
    const held = await found(store, third);
    t.is(held.releasedFence, null);
    for (const item of [third, first, second]) await release(store, item);
    const later = makeTicket(third.ticket);
    await commitOne(store, makePlan(third.ticket, { newItems: [makeItem(later)] }));
    t.is((await found(store, third)).releasedFence, third.leaseFence);
    await promote(store, tenantId, tickets);
    t.is((await found(store, third)).releasedFence, null);
    const again = await claim(store, tenantId);
    t.deepEqual(idsOf(again), [...tickets, later.workItemId]);
    t.deepEqual(
      again.map(({ ticket }) => ticket.attempt),
      [0, 0, 0, 0],
    );
    const place = (await found(store, again[2])).lease?.queuePlace;
    t.deepEqual(place, held.lease?.queuePlace, 'its bound still counts from when it was queued');
  });

  check('a release under a stale fence is refused', async (t, { store }) => {
    const { tenantId } = await queue(store, [{}]);
    const item = await claimOne(store, tenantId);
    await release(store, item);
    await t.throwsAsync(release(store, item), { message: /stale/ });
  });

  check('items on named queues count for the limit of a tenant', async (t, { store }) => {
    const { tenantId } = await queue(store, [{ queueName: 'gpu' }, {}]);
    for (const [queuedItemsMax, accepted] of [
      [2, false],
      [3, true],
    ] as const) {
      const create = makeNewExecution({ limits: { executionsMax: null, queuedItemsMax } });
      const execution = { executionId: makeExecutionId(), tenantId };
      const verdict = await judge(store, makePlan(execution, { create, events: [makeStarted()] }));
      t.is(verdict.accepted, accepted);
    }
  });
}

type Queued = Partial<WorkTicket> & { readonly tool?: string };

/** Items of one execution; `tickets` contains their ids. */
async function queue(store: Store, items: readonly Queued[]) {
  const execution = await start(store);
  const made = items.map(({ tool = 'm.f', ...changes }) => {
    const ticket = makeTicket(execution, changes);
    const { record } = makeItem(ticket);
    if (record === null) throw new Error('an item for workers has a record');
    const { queueName } = ticket;
    return { ticket, record: { ...record, tool, ...(queueName !== undefined && { queueName }) } };
  });
  await commitOne(store, makePlan(execution, { newItems: made }));
  return { ...execution, tickets: made.map(({ ticket }) => ticket.workItemId) };
}

function idsOf(items: readonly ClaimedItem[]): readonly string[] {
  return items.map(({ ticket }) => ticket.workItemId);
}

async function found(store: Store, item: ClaimedItem | undefined) {
  if (item === undefined) throw new Error('nothing was claimed');
  const { workItemId, tenantId } = item.ticket;
  const result = await store.work.find(workItemId, tenantId);
  if (result === null) throw new Error('the item is gone');
  return result;
}

async function release(store: Store, item: ClaimedItem | undefined): Promise<void> {
  const { lease } = await found(store, item);
  if (item === undefined) return;
  const place = lease?.queuePlace ?? null;
  const released = { leaseFence: item.leaseFence, place, isHeld: false };
  await commitOne(
    store,
    makePlan(item.ticket, {
      settles: [settleOf(item)],
      retries: [{ ticket: item.ticket, delayMs: 1, released }],
    }),
  );
}

/** SQLite knows the age of items to the millisecond: waits until the database's clock shows another. */
async function untilLater(store: Store): Promise<void> {
  const before = await store.schedules.now();
  await eventually(async () => {
    if ((await store.schedules.now()) === before) throw new Error('no millisecond has passed');
  });
}

/** Waits until all of them are on their queue. */
async function promote(store: Store, tenantId: TenantId, ids: readonly WorkItemId[]) {
  await eventually(async () => {
    await store.timers.promoteRetries({ limit: 100 });
    for (const id of ids) {
      const item = await store.work.find(id, tenantId);
      if (item?.place !== 'queued') throw new Error(`${id} is ${item?.place}`);
    }
  });
}
