import type { TestStore } from '../../../../support/stores.ts';
import type {
  LeasePage,
  LeasePlace,
  ListLeases,
} from '../../../../../src/shared/store/readings/work-overview.ts';
import { contractCases } from '../contract-case.ts';
import { claim, commitOne, start, startWithItems } from '../drive.ts';
import { makeItem, makePlan, makeTenantId, makeTicket } from '../make.ts';

/** More than all cases together make. */
const ROWS_MAX = 100_000;

export function workOverviewCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('queues count what waits and what is out, by queue and tool', async (t, { store }) => {
    const { tickets: _, ...execution } = await startWithItems(store, [{}, {}, {}]);
    const { tenantId } = execution;
    const named = makeTicket(execution, { queueName: 'gpu' });
    const item = makeItem(named);
    const record = item.record && { ...item.record, tool: 'render', queueName: 'gpu' };
    await commitOne(store, makePlan(execution, { newItems: [{ ...item, record }] }));
    const [held] = await claim(store, tenantId, { limit: 1 });
    t.truthy(held);
    const { queues, isExact } = await store.workOverview.readQueues({
      tenantId,
      rowsMax: ROWS_MAX,
    });
    t.true(isExact);
    t.is(queues.length, 2);
    t.like(queues[0], {
      queue: 'python_tool',
      queueName: null,
      tool: 'greetings.hello',
      waiting: 2,
      leased: 1,
      failed: 0,
    });
    t.regex(queues[0]?.oldestAt ?? '', /^\d{4}-.*Z$/);
    t.like(queues[1], { queueName: 'gpu', tool: 'render', waiting: 1, leased: 0 });
    const other = await store.workOverview.readQueues({
      tenantId: makeTenantId(),
      rowsMax: ROWS_MAX,
    });
    t.deepEqual(other, { queues: [], isExact: true });
  });

  check('a count of queues that is cut off says so', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}, {}, {}]);
    const { queues, isExact } = await store.workOverview.readQueues({ tenantId, rowsMax: 1 });
    t.false(isExact);
    t.is(queues[0]?.waiting, 2);
  });

  check('leases are listed with their holders, and read on behind one', async (t, { store }) => {
    const { tenantId, executionId } = await startWithItems(store, [{}, { nodeId: 'pay' }]);
    await claim(store, tenantId, { limit: 1, workerId: 'worker-1' });
    await claim(store, tenantId, { limit: 1, workerId: 'worker-2' });
    const read = (changes: Partial<ListLeases>) =>
      store.workOverview.listLeases({
        tenantId,
        limit: 10,
        workerId: null,
        after: null,
        within: ROWS_MAX,
        ...changes,
      });
    const list = async (changes: Partial<ListLeases>) => (await read(changes)).leases;
    const all = await list({});
    t.is(all.length, 2);
    t.like(all[0], { executionId, workflowId: 'greet', tool: 'greetings.hello', attempt: 0 });
    t.true((all[0]?.expiresAt ?? '') > (all[0]?.claimedAt ?? ''));
    t.deepEqual(await read({ limit: 2 }), { leases: all, next: null }, 'a full page is the last');
    const { leases, next } = await read({ limit: 1 });
    t.deepEqual(leases, all.slice(0, 1));
    t.deepEqual(await read({ after: next }), { leases: all.slice(1), next: null });
    const ofSecond = await list({ workerId: 'worker-2' });
    t.deepEqual(
      ofSecond.map(({ workerId }) => workerId),
      ['worker-2'],
    );
    t.deepEqual(await list({ tenantId: makeTenantId() }), []);
  });

  check('a page of leases looks through a bounded part of all', async (t, { store }) => {
    const { tenantId, tickets } = await startWithItems(store, [{}, {}, {}]);
    const second = await start(store, { tenantId });
    const ticket = makeTicket(second);
    await commitOne(store, makePlan(second, { newItems: [makeItem(ticket)] }));
    const others = await startWithItems(store, [{}, {}]);
    for (const tenant of [tenantId, others.tenantId]) await claim(store, tenant, { limit: 10 });
    const found: string[] = [];
    let pages = 0;
    let after: LeasePlace | null = null;
    do {
      const page: LeasePage = await store.workOverview.listLeases({
        tenantId,
        limit: 2,
        workerId: null,
        after,
        within: 1,
      });
      found.push(...page.leases.map(({ workItemId }) => workItemId));
      after = page.next;
      pages += 1;
    } while (after !== null);
    t.true(pages > 2);
    const held = [...tickets, ticket].map(({ workItemId }) => workItemId);
    t.deepEqual(found.toSorted(), held.toSorted());
    t.false((await store.workOverview.readQueues({ tenantId, rowsMax: 1 })).isExact);
  });
}
