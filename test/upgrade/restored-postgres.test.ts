import test, { type ExecutionContext } from 'ava';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { TestTenant } from '../support/tenant.ts';
import type { WorkItem } from '../support/wire.ts';
import { assertEndsWell, forgotten, together } from './support/checked.ts';
import { startRecordedLoad } from './support/recorded-load.ts';
import { startArchivedServer } from './support/restored-server.ts';

/* The database returns to an earlier moment, while workers still hold later items. */

const HELD = 40;
const LOAD = { workflowId: 'chain', callers: 3, workers: 2, restMs: 50 };

test('restored to a point in time, the service gives no fence a second time', async (t) => {
  t.timeout(240_000);
  const archived = await startArchivedServer();
  t.teardown(() => archived.stop());
  const { server } = archived;
  await migrateDatabase({ url: server.url });

  const before = await openCluster(t, server.url);
  await before.client.register(chain);
  await before.client.register(HOLDING);
  await archived.takeBaseBackup();
  const load = startRecordedLoad({ ...LOAD, ...before.target, name: 'before' });
  await eventually(() => {
    if (load.completed < 50) throw new Error(`${load.completed} items are completed`);
  });
  const waiting = await before.client.start('holding', 'waiting');
  await archived.markRestorePoint('good');
  // The restore loses all of this, with many fences.
  const lost = await drawFences(before.tenant, HELD);
  await load.stop();
  await before.cluster.stop();

  const restored = await archived.restoreTo('good');
  const after = await openCluster(t, restored.url);
  const found = await drawFences(after.tenant, HELD);
  const highest = Math.max(...lost.map((item) => item.lease_fence));
  const lowest = Math.min(...found.map((item) => item.lease_fence));
  t.true(lowest > highest, `after ${highest} came ${lowest}`);

  // The item that exists at both moments has two holders, and only the new one may settle it.
  const [late, holder] = [lost, found].map((items) =>
    items.find((item) => item.execution_id === waiting),
  );
  t.is(late?.id, holder?.id);
  t.is((await after.tenant.complete(late as WorkItem)).status, 409);
  t.is((await after.tenant.complete(holder as WorkItem)).status, 200);
  for (const item of lost.filter(({ id }) => id !== late?.id)) {
    t.is((await after.tenant.complete(item)).status, 404);
  }

  for (const item of found) if (item !== holder) await after.tenant.complete(item);
  const again = startRecordedLoad({ ...LOAD, ...after.target, name: 'after' });
  await eventually(() => {
    if (again.started.size < 10) throw new Error(`${again.started.size} are started`);
  });
  await again.endStarts();
  const history = together(forgotten(load.history), again.history);
  await assertEndsWell(t, { url: restored.url, history, least: 20 });
  await again.stop();
  t.deepEqual(again.failures, []);
});

/** One step, whose item the test claims and keeps. */
const HOLDING = {
  workflow_id: 'holding',
  nodes: {
    hold: { kind: 'java_fn', class_name: 'Held', method: 'hold', retry_policy: 'no_retry' },
  },
};

async function openCluster(t: ExecutionContext, url: string) {
  const cluster = new Cluster(url);
  t.teardown(() => cluster.stop());
  const api = await cluster.startApi();
  await cluster.startScheduler();
  const { apiKey } = cluster;
  const tenant = new TestTenant({
    tenantId: 'default',
    request: (request) => api.request(request),
  });
  const client = new ClusterClient({ urls: [api.url], apiKey });
  return { cluster, client, tenant, target: { pick: () => api.url, apiKey } };
}

/** Starts executions until there are `count` items, and claims them all. */
async function drawFences(tenant: TestTenant, count: number): Promise<readonly WorkItem[]> {
  const items: WorkItem[] = [];
  for (let n = 0; items.length < count; n += 1) {
    await tenant.start('holding', { n });
    const answer = await tenant.tryClaim({
      queue_types: ['java_tool'],
      max_items: 10,
      wait_ms: 5_000,
    });
    items.push(...(answer.work_items ?? []));
  }
  return items;
}
