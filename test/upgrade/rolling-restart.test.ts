import test from 'ava';

import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { Started } from '../support/processes.ts';
import { startBalancer } from './support/balancer.ts';
import { assertEndsWell } from './support/checked.ts';
import { startRecordedLoad } from './support/recorded-load.ts';

/*
 * Restarts the processes one after another under load, as a deployment does behind a load balancer
 * that probes readiness.
 */

/** Longer than a probe and its answer take, even on a busy machine. */
const DRAIN_DELAY = '2';
const BETWEEN = 5;

test('a rolling restart loses no request, no execution and no result', async (t) => {
  t.timeout(180_000);
  const database = await createTestDatabase('postgres');
  const cluster = new Cluster(database.url, {
    env: { SVC_API_DRAIN_DELAY_SECONDS: DRAIN_DELAY },
  });
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  const apis = await Promise.all([cluster.startApi(), cluster.startApi()]);
  const schedulers: Started[] = await Promise.all([
    cluster.startScheduler(),
    cluster.startScheduler(),
  ]);
  const { apiKey } = cluster;
  const urls = apis.map(({ url }) => url);
  await new ClusterClient({ urls, apiKey }).register(chain);
  const balancer = startBalancer({ urls, apiKey });
  const load = startRecordedLoad({
    pick: () => balancer.pick(),
    apiKey,
    workflowId: 'chain',
    name: 'rolling',
    callers: 3,
    workers: 2,
    restMs: 200,
  });
  const moreStarted = async () => {
    const enough = load.started.size + BETWEEN;
    await eventually(() => {
      if (load.started.size < enough) throw new Error(`${load.started.size} are started`);
    });
  };

  await moreStarted();
  for (const api of apis) {
    t.is(await api.end('SIGTERM'), 0);
    t.deepEqual([...api.errors()], []);
    await moreStarted();
    await cluster.startApi({ port: Number(new URL(api.url).port) });
    await balancer.untilReady(api.url);
    await moreStarted();
  }
  for (const scheduler of schedulers) {
    t.is(await scheduler.end('SIGTERM'), 0);
    await moreStarted();
    await cluster.startScheduler();
  }
  await moreStarted();
  await load.endStarts();
  await assertEndsWell(t, { url: database.url, history: load.history, least: 7 * BETWEEN });
  await load.stop();
  await balancer.stop();
  t.deepEqual(load.failures, []);
  t.true(load.completed > 0);
});
