import test from 'ava';

import type { Store } from '../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const ALL_SHARDS = [...Array(64).keys()];

test('an item claimed just before its execution ended is let go of', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  let betweenClaimAndLoad = async (): Promise<void> => undefined;
  let loads = 0;
  const watched: Store = {
    ...store,
    work: {
      ...store.work,
      claim: async (request) => {
        const claimed = await store.work.claim(request);
        await betweenClaimAndLoad();
        return claimed;
      },
    },
    executions: {
      ...store.executions,
      load: (id, tenantId) => {
        loads += 1;
        if (loads > 20) throw new Error('loaded again and again');
        return store.executions.load(id, tenantId);
      },
    },
  };
  const host = openTestEngine({ store: watched });
  const executionId = await host.start({ nodes: { a: { kind: 'call' } }, edges: [] });
  betweenClaimAndLoad = async () => {
    betweenClaimAndLoad = async () => undefined;
    await host.engine.cancelExecution({ tenantId: TENANT, executionId, actorId: 'token:test' });
  };
  await host.scheduling.runQueuedNodes({ shards: ALL_SHARDS, limit: 10 });
  await host.settle();
  t.deepEqual(host.troubles, []);
  t.is(host.scheduling.underWay(), 0);
  t.true(loads < 5, `${loads} loads`);
});
