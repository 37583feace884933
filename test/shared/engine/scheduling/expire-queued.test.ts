import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

test('an overdue item that cannot be failed does not keep the others waiting', async (t) => {
  const { store, age, close } = await openTestStore('sqlite');
  t.teardown(close);
  let broken: ExecutionId | null = null;
  const watched: Store = {
    ...store,
    executions: {
      ...store.executions,
      find: async (id, tenantId) => {
        if (id === broken) throw new Error('this row cannot be read');
        return store.executions.find(id, tenantId);
      },
    },
  };
  const host = openTestEngine({ store: watched });
  const ir = {
    timeouts: { schedule_to_start: 60 },
    nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
    edges: [],
  };
  broken = await host.start(ir);
  const healthy = await host.start(ir);
  await age({ table: 'work_queue', columns: ['start_before'], byMs: 61_000 });
  await t.throwsAsync(host.scheduling.expireQueued({ limit: 10 }));
  await host.engine.waitForEvents({
    executionId: healthy,
    after: 2,
    signal: AbortSignal.timeout(5_000),
  });
  t.is((await host.story(healthy)).at(-1), 'NodeFailed a');
});
