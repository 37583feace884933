import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claim, commitOne, settleOf, start, startWithItems } from '../drive.ts';
import { makeEvent, makeItem, makePlan, makeTenantId, makeTicket } from '../make.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

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
    const { queues, isExact } = await store.workOverview.readQueues({ tenantId, rowsMax: 10 });
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
    const other = await store.workOverview.readQueues({ tenantId: makeTenantId(), rowsMax: 10 });
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
    const list = (changes: object) =>
      store.workOverview.listLeases({
        tenantId,
        limit: 10,
        workerId: null,
        after: null,
        ...changes,
      });
    const all = await list({});
    t.is(all.length, 2);
    t.like(all[0], { executionId, workflowId: 'greet', tool: 'greetings.hello', attempt: 0 });
    t.true((all[0]?.expiresAt ?? '') > (all[0]?.claimedAt ?? ''));
    t.deepEqual(await list({ after: all[0]?.workItemId }), all.slice(1));
    const ofSecond = await list({ workerId: 'worker-2' });
    t.deepEqual(
      ofSecond.map(({ workerId }) => workerId),
      ['worker-2'],
    );
    t.deepEqual(await list({ tenantId: makeTenantId() }), []);
  });

  check(
    'failures are dead letters and failed executions since an instant',
    async (t, { store }) => {
      const { tickets: _, ...execution } = await startWithItems(store, [{ nodeId: 'pay' }]);
      const { tenantId } = execution;
      const [item] = await claim(store, tenantId);
      if (item === undefined) throw new Error('no item was claimed');
      const { workItemId } = item.ticket;
      await commitOne(
        store,
        makePlan(execution, {
          settles: [settleOf(item)],
          deadLetters: [{ workItemId, attempt: 2, error: 'card refused' }],
        }),
      );
      const failed = await start(store, { tenantId });
      await commitOne(
        store,
        makePlan(failed, {
          events: [makeEvent({ kind: 'WorkflowFailed', nodeId: null, payload: '{}' })],
          status: 'failed',
          error: 'out of time',
          revokesAll: true,
        }),
      );
      const list = (since: string, of = tenantId) =>
        store.workOverview.listFailures({ tenantId: of, since, limit: 10 });
      const failures = await list(LONG_AGO);
      t.is(failures.length, 2);
      t.like(
        failures.find(({ item: one }) => one === null),
        {
          executionId: failed.executionId,
          error: 'out of time',
        },
      );
      t.like(
        failures.find(({ item: one }) => one !== null),
        {
          executionId: execution.executionId,
          error: 'card refused',
          item: { workItemId, nodeId: 'pay', tool: 'greetings.hello', isLive: true },
        },
      );
      t.deepEqual(await list('2999-01-01T00:00:00.000Z'), []);
      t.deepEqual(await list(LONG_AGO, makeTenantId()), []);
      const { queues } = await store.workOverview.readQueues({ tenantId, rowsMax: 10 });
      t.like(queues[0], { tool: 'greetings.hello', waiting: 0, leased: 0, failed: 1 });
    },
  );
}
