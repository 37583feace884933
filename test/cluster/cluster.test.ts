import test, { type ExecutionContext } from 'ava';

import { checkInvariants } from '../invariants/check-invariants.ts';
import type { Dump } from '../invariants/dump.ts';
import { POSTGRES_DUMP } from '../invariants/read-postgres-dump.ts';
import { describe } from '../invariants/violation.ts';
import { createTestDatabase, runOnServer, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import type { Runtime } from '../support/runtime.ts';
import { assertDoneOnce, chain, STEPS } from './chain.ts';
import { ClusterClient } from './client.ts';
import { Cluster } from './cluster.ts';
import { startLoad } from './load.ts';

/*
 * Real processes are killed or stopped while they work. The tests run one at a time, because each
 * starts a dozen processes.
 */

const LOAD_MS_MAX = 90_000;
const LOAD = { workflowId: 'chain', openMax: 40, withinMs: LOAD_MS_MAX };
/** Mostly the leases of killed processes, which last 3 s, and the remaining work. */
const RECOVERY_MS_MAX = 40_000;
/** The default shutdown deadline, with some tolerance. */
const SHUTDOWN_MS_MAX = 30_000;

test.serial('an api and a scheduler are killed midway: everything is done once', async (t) => {
  t.timeout(2 * LOAD_MS_MAX);
  const { database, cluster } = await openCluster(t, 'postgres');
  const apis = [await cluster.startApi(), await cluster.startApi()] as const;
  const schedulers = [await cluster.startScheduler(), await cluster.startScheduler()] as const;
  for (const api of [...apis, ...apis]) await cluster.startWorker(api.url);
  const client = clientOf(cluster, apis);
  await client.register(chain);
  const total = 200;
  const load = startLoad({ ...LOAD, client, name: 'crash', total });
  await load.completed(60);
  await Promise.all([schedulers[0].end('SIGKILL'), apis[0].end('SIGKILL')]);
  const killedAt = performance.now();
  const ids = await load.done;
  const tookMs = Math.round(performance.now() - killedAt);
  t.true(tookMs < RECOVERY_MS_MAX, `done ${tookMs} ms after the kill`);

  t.is(new Set(ids).size, total);
  t.is((await client.list()).length, total);
  await assertAllDoneOnce(t, client, ids);
  await assertRecordedOnce(t, database, total * STEPS.length);
  t.deepEqual([...apis[1].errors()], []);
});

test.serial('a scheduler told to stop under load gives up its work in order', async (t) => {
  t.timeout(2 * LOAD_MS_MAX);
  const { database, cluster } = await openCluster(t, 'postgres');
  const api = await cluster.startApi();
  const leaving = await cluster.startScheduler();
  await cluster.startScheduler();
  await cluster.startWorker(api.url);
  await cluster.startWorker(api.url);
  const client = clientOf(cluster, [api]);
  await client.register(chain);
  const load = startLoad({ ...LOAD, client, name: 'drain', total: 60 });
  await load.completed(20);
  const askedAt = performance.now();
  t.is(await leaving.end('SIGTERM'), 0);
  t.true(performance.now() - askedAt < SHUTDOWN_MS_MAX);
  const ids = await load.done;
  await assertAllDoneOnce(t, client, ids);
  await assertRecordedOnce(t, database, ids.length * STEPS.length);
});

test.serial('the only process on SQLite is killed midway and started again', async (t) => {
  t.timeout(2 * LOAD_MS_MAX);
  const { cluster } = await openCluster(t, 'sqlite');
  const port = await freePort();
  const first = await cluster.startApi({ entry: 'svc', port });
  await cluster.startWorker(first.url);
  const client = clientOf(cluster, [first]);
  await client.register(chain);
  await client.register(PARKED);
  const parked = await client.start('parked', 'parked');
  const load = startLoad({ ...LOAD, client, name: 'restart', total: 60 });
  await load.completed(20);
  await first.end('SIGKILL');
  const second = await cluster.startApi({ entry: 'svc', port });
  const ids = await load.done;
  t.is((await client.list()).length, ids.length + 1);
  await assertAllDoneOnce(t, client, ids);
  await eventually(async () => {
    const { status } = await client.read(parked);
    if (status !== 'paused') throw new Error(`${parked} is ${status}`);
  });
  const kinds = (await client.events(parked)).map(({ kind, node_id: node }) => `${kind} ${node}`);
  t.true(kinds.includes('TimerFired hold'), kinds.join());
  t.is(await second.end('SIGTERM'), 0);
  t.deepEqual([...second.errors()], []);
});

/** A timer that starts before the kill, then an approval. */
const PARKED = {
  workflow_id: 'parked',
  nodes: {
    hold: { kind: { type: 'wait', condition: 'timer', timeout_secs: 3 } },
    ask: { kind: 'human_approval' },
  },
  edges: [{ from: 'hold', to: 'ask' }],
};

async function openCluster(t: ExecutionContext, dialect: 'postgres' | 'sqlite') {
  const database = await createTestDatabase(dialect);
  const cluster = new Cluster(database.url);
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  return { database, cluster };
}

function clientOf(cluster: Cluster, apis: readonly Runtime[]): ClusterClient {
  return new ClusterClient({ urls: apis.map(({ url }) => url), apiKey: cluster.apiKey });
}

async function assertAllDoneOnce(
  t: ExecutionContext,
  client: ClusterClient,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    assertDoneOnce(t, { execution: await client.read(id), events: await client.events(id) });
  }
}

async function assertRecordedOnce(
  t: ExecutionContext,
  database: TestDatabase,
  expected: number,
): Promise<void> {
  const { rows } = await runOnServer(
    database.url,
    `select
       (select count(*)::int from events where kind = 'ToolCallCompleted') as recorded,
       (
         select count(distinct v.payload ->> 'work_item_id')::int
         from events v
         where v.kind = 'ToolCallCompleted'
       ) as items,
       (select count(*)::int from work_queue) as queued,
       (select count(*)::int from work_leases) as leased,
       (select count(*)::int from retry_timers) as retrying`,
  );
  t.deepEqual(rows[0], {
    recorded: expected,
    items: expected,
    queued: 0,
    leased: 0,
    retrying: 0,
  });
  await assertInvariants(t, database);
}

/** Checks only the tables; each test checks the answers to its clients. */
async function assertInvariants(t: ExecutionContext, database: TestDatabase): Promise<void> {
  const { rows } = await runOnServer(database.url, POSTGRES_DUMP);
  const { dump } = rows[0] as { readonly dump: Dump };
  const history = { deeds: [] };
  const found = checkInvariants({ history, dumps: [dump], wellSince: dump.takenAt, limits: {} });
  t.deepEqual(found.map(describe), []);
}
