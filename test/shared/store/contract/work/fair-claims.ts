import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import { quotaQueueName, readQuotaQueue } from '../../../../../src/shared/domain/work/quota.ts';
import type { ClaimedItem, Store } from '../../../../../src/shared/store/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, commitOne, settleOf } from '../drive.ts';
import { makePlan, makeTenantId } from '../make.ts';
import { claimKeys, queue, repeat } from './fair-items.ts';

/** Items with keys of fairness take turns. */
export function fairClaimCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a key that comes late waits for no backlog', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat('a', 200));
    t.deepEqual(await claimKeys(store, tenantId, 3), ['a', 'a', 'a']);
    await queue(store, tenantId, ['b']);
    const next = await claimKeys(store, tenantId, 3);
    t.true(next.includes('b'), next.join(' '));
    t.deepEqual(await claimKeys(store, tenantId, 3), ['a', 'a', 'a']);
  });

  check('a key that has one item at a time gets each turn', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat('a', 30));
    await queue(store, tenantId, repeat('c', 90), { weight: 3 });
    const taken: string[] = [];
    while (taken.length < 50) {
      if (!taken.includes('b') || taken.at(-1) === 'b') await queue(store, tenantId, ['b']);
      taken.push(...(await claimKeys(store, tenantId, 1)));
    }
    const [a = 0, b = 0] = ['a', 'b'].map((key) => taken.filter((own) => own === key).length);
    t.true(a >= 9 && a <= 11 && b >= 9 && b <= 11, taken.join(''));
  });

  check('a key that comes late among many waits for one item of each', async (t, { store }) => {
    const tenantId = makeTenantId();
    const keys = Array.from({ length: 30 }, (_, index) => `${index}`);
    await queue(store, tenantId, [...keys, ...keys, ...keys]);
    await claimKeys(store, tenantId, 40);
    await queue(store, tenantId, ['late']);
    const next = await claimKeys(store, tenantId, 31);
    t.true(next.includes('late'), next.join(' '));
  });

  check('keys take turns by their weights', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat('a', 60));
    await queue(store, tenantId, repeat('b', 60), { weight: 3 });
    const taken = await claimKeys(store, tenantId, 40);
    const share = taken.filter((key) => key === 'b').length;
    t.true(share >= 29 && share <= 31, taken.join(''));
  });

  check('items without a key are one class among the keys', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat(null, 40));
    await queue(store, tenantId, repeat('a', 40));
    await queue(store, tenantId, repeat('b', 40));
    const taken = await claimKeys(store, tenantId, 30);
    const counts = Map.groupBy(taken, (key) => key);
    for (const key of ['-', 'a', 'b']) {
      const count = counts.get(key)?.length ?? 0;
      t.true(count >= 9 && count <= 11, taken.join(''));
    }
    await queue(store, tenantId, [null]);
    const rest = await claimKeys(store, tenantId, 93);
    t.deepEqual([rest.length, await claimKeys(store, tenantId, 1)], [91, []]);
  });

  check('an empty queue forgets who had turns', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, [...repeat('a', 20), ...repeat(null, 20)]);
    await claim(store, tenantId, { limit: 100 });
    await queue(store, tenantId, [...repeat('b', 10), ...repeat(null, 10), ...repeat('a', 10)]);
    const taken = (await claimKeys(store, tenantId, 9)).join('');
    for (const key of ['-', 'a', 'b']) t.true(taken.split(key).length >= 3, taken);
  });

  check('items without a key wait for no key that has one item at a time', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat(null, 20));
    const taken: string[] = [];
    // No claim sees the queue of keys empty.
    for (let n = 0; n < 24; n += 1) {
      const last = taken.at(-1);
      if (last !== '-') await queue(store, tenantId, [n % 3 === 0 ? 'a' : 'b']);
      taken.push(...(await claimKeys(store, tenantId, 1)));
    }
    const classTurns = taken.filter((key) => key === '-').length;
    t.true(classTurns >= 6 && classTurns <= 13, taken.join(''));
    t.false(/-[^-]*(a[^-]*a[^-]*a|b[^-]*b[^-]*b)/.test(taken.join('')), taken.join(''));
  });

  check('a claim on several queues takes the oldest, by the turns of each', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    const later = () => at.age({ table: 'work_queue', columns: ['enqueued_at'], byMs: 1_000 });
    const busy = { queueName: 'busy' };
    // Its tags are high, because it is never empty.
    await queue(store, tenantId, repeat('a', 10), busy);
    await claimKeys(store, tenantId, 9, { queueNames: ['busy'] });
    await queue(store, tenantId, ['a', 'a'], busy);
    await later();
    await queue(store, tenantId, ['b', 'b', 'b']);
    await later();
    // By its weight its tag lies between those of the second and the third `a`: equal tags have no order.
    await queue(store, tenantId, ['c'], { ...busy, weight: 0.7 });
    await later();
    await queue(store, tenantId, [null, null], { queueName: 'plain', nodeId: '-' });
    const queueNames = ['plain', 'default', 'busy'];
    t.is((await claimKeys(store, tenantId, 9, { queueNames })).join(''), 'aabbbca--');
  });

  check('a priority comes before all turns', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat('a', 3), { priority: 5 });
    await queue(store, tenantId, repeat('b', 2), { priority: 1 });
    await queue(store, tenantId, [null], { priority: 1 });
    const taken = await claimKeys(store, tenantId, 6);
    t.deepEqual(taken.slice(0, 3).toSorted(), ['-', 'b', 'b']);
    t.deepEqual(taken.slice(3), ['a', 'a', 'a']);
  });

  check('shares of named queues and of tools are found by their claims alone', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    await queue(store, tenantId, ['a'], { queueName: 'gpu', tool: 'm.x' });
    await queue(store, tenantId, ['b'], { tool: 'm.y' });
    const { queueNames, tools } = { queueNames: ['gpu'], tools: ['m.*'] };
    t.deepEqual(await claimKeys(store, tenantId, 1, { tools: ['m.x', 'n.*'] }), []);
    t.deepEqual(await claimKeys(store, tenantId, 1, { queueNames, tools: ['m.y'] }), []);
    t.deepEqual(await claimKeys(store, tenantId, 2, { queueNames, tools }), ['a']);
    t.deepEqual(await claimKeys(store, tenantId, 2, { tools }), ['b']);
  });

  check('a released item keeps its place, and a retry joins the end of its key', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    const [first] = await queue(store, tenantId, repeat('a', 3));
    if (first === undefined) throw new Error('nothing was queued');
    const released = await claimItem(store, tenantId);
    const found = await store.work.find(released.ticket.workItemId, tenantId);
    const place = found?.lease?.queuePlace ?? null;
    t.true((place?.seq ?? 0) < 0);
    await commitOne(
      store,
      makePlan(released.ticket, {
        settles: [settleOf(released)],
        retries: [
          {
            ticket: released.ticket,
            delayMs: 1,
            released: { leaseFence: released.leaseFence, place, isHeld: false },
          },
        ],
      }),
    );
    await promote(store, released);
    const again = await claimItem(store, tenantId);
    t.is(again.ticket.workItemId, first.workItemId);
    await commitOne(
      store,
      makePlan(again.ticket, {
        settles: [settleOf(again)],
        retries: [{ ticket: again.ticket, delayMs: 1, released: null }],
      }),
    );
    await promote(store, again);
    await queue(store, tenantId, ['b']);
    const rest = await claim(store, tenantId, { limit: 10 });
    t.is(rest.length, 4);
    t.is(rest.at(-1)?.ticket.workItemId, first.workItemId);
  });

  check(
    'a released item waits for no backlog that came after the queue was empty',
    async (t, at) => {
      const { store } = at;
      const tenantId = makeTenantId();
      await queue(store, tenantId, repeat('a', 20));
      const item = (await claim(store, tenantId, { limit: 20 })).at(-1);
      if (item === undefined) throw new Error('nothing was claimed');
      await queue(store, tenantId, repeat('b', 12));
      const found = await store.work.find(item.ticket.workItemId, tenantId);
      const { leaseFence, ticket } = item;
      const place = found?.lease?.queuePlace ?? null;
      await commitOne(
        store,
        makePlan(ticket, {
          settles: [settleOf(item)],
          retries: [{ ticket, delayMs: 1, released: { leaseFence, place, isHeld: false } }],
        }),
      );
      await promote(store, item);
      const taken = await claimKeys(store, tenantId, 3);
      t.true(taken.includes('a'), taken.join(''));
      await queue(store, tenantId, ['a']);
      t.is((await claimKeys(store, tenantId, 20)).length, 11);
    },
  );

  check('a released item without a key returns beside items with keys', async (t, { store }) => {
    const tenantId = makeTenantId();
    const of = { queueName: 'gpu' };
    await queue(store, tenantId, [null], of);
    const [item] = await claim(store, tenantId, { limit: 1, queueNames: ['gpu'] });
    if (item === undefined) throw new Error('nothing was claimed');
    await queue(store, tenantId, ['a'], of);
    const found = await store.work.find(item.ticket.workItemId, tenantId);
    const { leaseFence, ticket } = item;
    const place = found?.lease?.queuePlace ?? null;
    t.true((place?.seq ?? 0) > 0);
    await commitOne(
      store,
      makePlan(ticket, {
        settles: [settleOf(item)],
        retries: [{ ticket, delayMs: 1, released: { leaseFence, place, isHeld: false } }],
      }),
    );
    await promote(store, item);
    t.is((await claim(store, tenantId, { limit: 10, queueNames: ['gpu'] })).length, 2);
  });

  check('an item below a quota gets its tag with its place', async (t, { store }) => {
    const tenantId = makeTenantId();
    await queue(store, tenantId, repeat('a', 5));
    const name = quotaQueueName({
      queueName: 'default',
      limit: 1,
      tool: 'm.f',
      key: null,
      rate: null,
    });
    await queue(store, tenantId, ['b', 'b'], { queueName: name ?? '' });
    const mine = (await store.quotas.listWaiting({ after: null, limit: 1_000 })).filter((key) =>
      key.startsWith(`${tenantId}/`),
    );
    t.is(mine.length, 1);
    const waiting = readQuotaQueue(mine[0] ?? '');
    const limit = waiting?.limit ?? null;
    if (waiting === null || limit === null) throw new Error('no limit was read');
    t.is((await store.quotas.admit({ ...waiting, limit }, { atMost: 10 })).length, 1);
    const taken = await claimKeys(store, tenantId, 10);
    t.is(taken.length, 6);
    t.true(taken.slice(0, 3).includes('b'), taken.join(''));
  });

  check('the key of a quota may have the mark of shares', async (t, { store }) => {
    const tenantId = makeTenantId();
    for (const key of ['~', 'a~b', 'a~b~']) {
      const of = { queueName: 'default', limit: 1, tool: 'm.f', key, rate: null };
      const queueName = quotaQueueName(of) ?? '';
      await queue(store, tenantId, [null], { queueName });
      await queue(store, tenantId, ['k'], { queueName });
    }
    const mine = (await store.quotas.listWaiting({ after: null, limit: 1_000 })).filter((key) =>
      key.startsWith(`${tenantId}/`),
    );
    t.is(mine.length, 6);
    for (const name of mine) {
      const waiting = readQuotaQueue(name);
      const limit = waiting?.limit ?? null;
      if (waiting === null || limit === null) throw new Error('no limit was read');
      await store.quotas.admit({ ...waiting, limit: limit + 1 }, { atMost: 10 });
    }
    t.is((await claimKeys(store, tenantId, 10)).length, 6);
  });

  check('twenty who queue items of two keys at once give both the same turns', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    const keys = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'a' : 'b'));
    await Promise.all(keys.map((key) => queue(store, tenantId, repeat(key, 5))));
    const taken = await claimKeys(store, tenantId, 40);
    const share = taken.filter((key) => key === 'a').length;
    t.true(share >= 16 && share <= 24, taken.join(''));
  });
}

async function claimItem(store: Store, tenantId: TenantId): Promise<ClaimedItem> {
  const [item] = await claim(store, tenantId, { limit: 1 });
  if (item === undefined) throw new Error('nothing was claimed');
  return item;
}

async function promote(store: Store, { ticket }: ClaimedItem): Promise<void> {
  await eventually(async () => {
    await store.timers.promoteRetries({ limit: 100 });
    const found = await store.work.find(ticket.workItemId, ticket.tenantId);
    if (found?.place !== 'queued') throw new Error(`it is ${found?.place}`);
  });
}
