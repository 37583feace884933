import test from 'ava';

import { readMigrations } from '../../../src/shared/store/opening/migrations.ts';
import { changeTable, openTestStore } from '../../support/stores.ts';
import { claimOne, commitOne, placeOf, settleOf, startWithItems } from './contract/drive.ts';
import { makePlan, makeTimer } from './contract/make.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an upgrade to durable functions keeps items, leases, retries and timers`, async (t) => {
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const { tickets, ...execution } = await startWithItems(store, [{}, {}, {}]);
    const retried = await claimOne(store, execution.tenantId, { limit: 1 });
    const leased = await claimOne(store, execution.tenantId, { limit: 1 });
    await commitOne(
      store,
      makePlan(execution, {
        settles: [settleOf(retried)],
        retries: [{ ticket: retried.ticket, delayMs: 60_000, released: null }],
        startsTimers: [makeTimer()],
      }),
    );
    // The migration also works on its own result, which contains every row. On SQLite it rebuilds
    // tables, so later migrations must add their columns again; `approvals` and later add tables.
    const migrations = await readMigrations(dialect);
    const first = migrations.findIndex(({ title }) => title === 'durable_functions');
    const tables = migrations.findIndex(({ title }) => title === 'approvals');
    const last = dialect === 'sqlite' ? tables : first + 1;
    for (const { sql } of migrations.slice(first, last)) await changeTable(url)(sql);

    const places = await Promise.all(tickets.map((ticket) => placeOf(store, ticket)));
    for (const place of ['leased', 'queued', 'retrying']) t.true(places.includes(place), place);
    const found = await store.work.find(leased.ticket.workItemId, execution.tenantId);
    t.is(found?.lease?.leaseFence, leased.leaseFence);
    t.deepEqual(found?.record.payload, leased.record?.payload);
    const [due] = await store.timers.listDue({ limit: 10 });
    t.like(due, { executionId: execution.executionId, name: makeTimer().name, purpose: 'wait' });

    const more = await startWithItems(store, [{ queue: 'function' }]);
    const claimed = await claimOne(store, more.tenantId, { queues: ['function'] });
    t.deepEqual(
      [claimed.ticket.workItemId],
      more.tickets.map(({ workItemId }) => workItemId),
    );
    const timer = makeTimer({ purpose: 'function_wait', name: 'function_wait:node#0/nap' });
    await commitOne(store, makePlan(more, { startsTimers: [timer] }));
    t.is((await store.timers.listDue({ limit: 10 })).length, 2);
  });
}
