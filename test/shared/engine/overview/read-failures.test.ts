import test from 'ava';

import { readFailures } from '../../../../src/shared/engine/overview/read-failures.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

test('failures below a policy that changes messages are read once, from the second request', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const readings: string[] = [];
  const svc = openTestEngine({
    store: countReadings(store, readings),
    run: async () => ({ ok: false, error: 'mail ann@mail.example', errorClass: 'error' }),
  });
  const retry_policy = { max_attempts: 1 };
  const nodes = { a: { kind: 'call', retry_policy } };
  await svc.start({ nodes, data_policy: { detectors: ['email'] } });
  await svc.settle();
  const read = async () => {
    readings.length = 0;
    const filter = { withinMs: 3_600_000, workflowId: null, conditions: [] };
    const { groups } = await readFailures(svc.deps, TENANT, { filter, at: null, members: 10 });
    t.deepEqual(groups.map(({ cause }) => cause.includes('[email]')).toArray(), [true]);
    return readings.toSorted();
  };
  await read();
  t.deepEqual(await read(), ['executions', 'items']);
});

function countReadings(
  { workOverview, executionSearch, ...store }: Store,
  readings: string[],
): Store {
  return {
    ...store,
    workOverview: {
      ...workOverview,
      groupFailedItems: (params) => {
        readings.push('items');
        return workOverview.groupFailedItems(params);
      },
    },
    executionSearch: {
      ...executionSearch,
      groupFailed: (params) => {
        readings.push('executions');
        return executionSearch.groupFailed(params);
      },
    },
  };
}
