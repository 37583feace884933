import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

import test from 'ava';

import { Cluster } from '../cluster/cluster.ts';
import type { Dump } from '../invariants/dump.ts';
import { POSTGRES_DUMP } from '../invariants/read-postgres-dump.ts';
import { describe } from '../invariants/violation.ts';
import { createTestDatabase, runOnServer } from '../support/database.ts';
import { checkDatabase } from './check/check-database.ts';
import { checkRun } from './check/check-run.ts';
import { exercised } from './check/exercised.ts';
import { runFinalOperations } from './clients/final-operations.ts';
import { RUNTIME_SETTINGS } from './clients/runtime-settings.ts';
import { sendRefusable } from './clients/send-refusable.ts';
import { startClients } from './clients/start-clients.ts';
import type { Operation } from './types.ts';

const HANDLERS = fileURLToPath(new URL('./clients/worker-handlers.ts', import.meta.url));
const RUN_MS = 5_000;
/** Of a run in which nothing of this came about, nothing was checked. */
const HAPPENED = [
  'start ok',
  'complete ok',
  'items claimed more than once',
  'settles under a stale fence',
  'decisions that came second',
  'requests of strangers that were refused',
  'effects with the secret of the tool',
  'ChildWorkflowCompleted',
  'TimerFired',
];

test('with nobody in the way nothing is violated', async (t) => {
  t.timeout(300_000);
  const database = await createTestDatabase('postgres');
  const cluster = new Cluster(database.url, {
    env: RUNTIME_SETTINGS,
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
  const readDump = async (): Promise<Dump> => {
    const { rows } = await runOnServer(database.url, POSTGRES_DUMP);
    return (rows[0] as { readonly dump: Dump }).dump;
  };
  const unrefused = await sendRefusable({ ...params, deeds, readDump });
  const dump = await readDump();
  const run = { history: { deeds }, dump, wellSince: dump.takenAt };
  const verdict = await checkDatabase({ url: database.url, secrets: clients.secrets() });
  const counts = { ...exercised(run), ...verdict.exercised };
  t.log(counts);
  const found = [...unmet, ...unrefused, ...checkRun(run), ...verdict.violations];
  t.deepEqual(found.slice(0, 20).map(describe), []);
  for (const name of HAPPENED) t.true((counts[name] ?? 0) > 0, name);
  await clients.close();
});
