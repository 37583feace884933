import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

import test from 'ava';

import { Cluster } from '../cluster/cluster.ts';
import type { Dump } from '../invariants/dump.ts';
import { POSTGRES_DUMP } from '../invariants/read-postgres-dump.ts';
import { describe } from '../invariants/violation.ts';
import { createTestDatabase, runOnServer } from '../support/database.ts';
import { checkRun } from './check/check-run.ts';
import { exercised } from './check/exercised.ts';
import { runFinalOperations } from './clients/final-operations.ts';
import { startClients } from './clients/start-clients.ts';
import type { Operation } from './types.ts';

const HANDLERS = fileURLToPath(new URL('./clients/worker-handlers.ts', import.meta.url));
const RUN_MS = 5_000;

test('with nobody in the way nothing is violated', async (t) => {
  t.timeout(300_000);
  const database = await createTestDatabase('postgres');
  const cluster = new Cluster(database.url, {
    env: { SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true' },
    handlers: HANDLERS,
  });
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  const apis = [await cluster.startApi(), await cluster.startApi()];
  await cluster.startScheduler();
  await cluster.startWorker(apis[0]?.url ?? '');
  const deeds: Operation[] = [];
  const params = {
    urls: apis.map(({ url }) => url),
    apiKey: cluster.apiKey,
    seed: '1',
    now: () => performance.now(),
    record: (operation: Operation) => void deeds.push(operation),
  };
  const clients = await startClients(params);
  await delay(RUN_MS);
  await clients.stop();
  const unmet = await runFinalOperations({ ...params, withinMs: 60_000 });
  const { rows } = await runOnServer(database.url, POSTGRES_DUMP);
  const { dump } = rows[0] as { readonly dump: Dump };
  const found = checkRun({ history: { deeds }, dump, wellSince: dump.takenAt });
  t.log(exercised({ history: { deeds }, dump, wellSince: dump.takenAt }));
  t.deepEqual([...unmet, ...found].slice(0, 20).map(describe), []);
  await clients.close();
});
