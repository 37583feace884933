import test from 'ava';

import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const ALL_SHARDS = [...Array(64).keys()];
const endless = {
  start_node: 'a',
  nodes: { a: { kind: 'pass' } },
  edges: [{ from: 'a', to: 'a', condition: '1 == 1' }],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test.serial(`an endless run of pure nodes can be cancelled (${dialect})`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const host = openTestEngine({ store });
    const executionId = await host.start(endless);
    const begun = host.scheduling.advanceRunnable({ shards: ALL_SHARDS, limit: 10 });
    await new Promise((resolve) => setImmediate(resolve));
    await begun;
    await host.engine.cancelExecution({ tenantId: TENANT, executionId, actorId: 'token:test' });
    await host.settle();
    const { row } = await host.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'cancelled');
    t.deepEqual(host.troubles, []);
  });
}
