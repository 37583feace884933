import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import test from 'ava';
import type pg from 'pg';

import { DEFAULT_TENANT, type ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import { freePort } from '../../../../support/servers/ports.ts';
import { openTestStore, type TestStore } from '../../../../support/stores.ts';
import { judge, start } from '../../contract/drive.ts';
import { makeEvent, makeExecutionId, makePlan } from '../../contract/make.ts';
import { connectRaw, terminate, waitUntilBlocked } from '../raw-client.ts';

let database: TestStore;
let other: pg.Client;

test.before(async () => {
  database = await openTestStore('postgres');
  other = await connectRaw(database.url);
});

test.after.always(async () => {
  await other.end();
  await database.close();
});

test.serial(
  'a commit whose connection is ended is ambiguous, and the next one works',
  async (t) => {
    const execution = await start(database.store);
    const plan = makePlan(execution, { events: [makeEvent()] });
    await lock(execution);
    const commit = judge(database.store, plan);
    await waitUntilBlocked(other);
    t.true((await terminate(other, 'svc-test')) > 0);
    const error = await t.throwsAsync(commit, { instanceOf: StoreUnavailableError });
    t.true(error.ambiguous);
    await other.query('rollback');
    t.like(await judge(database.store, plan), { accepted: true, lastSequence: 2 });
  },
);

test.serial('idle connections that are ended are replaced', async (t) => {
  const execution = await start(database.store);
  await terminate(other, 'svc-test');
  // The pool learns of the end of a connection with a delay; a read before that fails.
  const row = await eventually(() => database.store.executions.find(execution.executionId, null));
  t.like(row, { lastSequence: 1 });
});

test.serial('a statement that takes too long is rolled back, and not ambiguous', async (t) => {
  const store = await openPostgresStore({ url: database.url, statementTimeoutMs: 100 });
  const execution = await start(database.store);
  await lock(execution);
  const plan = makePlan(execution, { events: [makeEvent()] });
  const error = await t.throwsAsync(judge(store, plan), { instanceOf: StoreUnavailableError });
  t.false(error.ambiguous);
  await other.query('rollback');
  t.like(await judge(store, plan), { accepted: true, lastSequence: 2 });
  await store.close();
});

test.serial('a read-only server is unavailable for writing, not for reading', async (t) => {
  const execution = await start(database.store);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const store = await openPostgresStore({ url: url.href });
  const plan = makePlan(execution, { events: [makeEvent()] });
  const error = await t.throwsAsync(judge(store, plan), { instanceOf: StoreUnavailableError });
  t.false(error.ambiguous);
  t.like(await store.executions.find(execution.executionId, null), { lastSequence: 1 });
  await store.close();
});

test.serial('a database that is down is unavailable in every area', async (t) => {
  const port = await freePort();
  const store = await openPostgresStore({ url: `postgres://nobody@127.0.0.1:${port}/none` });
  const execution = { executionId: makeExecutionId(), tenantId: DEFAULT_TENANT };
  for (const attempt of [
    () => store.ping({ timeoutMs: 5_000 }),
    () => store.executions.commit([makePlan(execution)]),
    () => store.timers.nextDueInMs(),
    () => store.tokens.findByHash('0'.repeat(64)),
    () => store.workers.list({ ...execution, leasesMax: 1 }),
  ]) {
    const error = await t.throwsAsync(attempt(), { instanceOf: StoreUnavailableError });
    t.false(error.ambiguous);
  }
  t.is(await store.shards.countSchedulers(), 1);
  t.deepEqual(await store.shards.balance({ target: 64 }), []);
  t.false(await store.shards.tryDuty('timers'));
  t.notThrows(() => store.wake.send(['run:1']));
  await t.notThrowsAsync(store.wake.listen(() => undefined));
  await store.close();
});

test.serial(
  'a pool without a free connection is no reason to look for another server',
  async (t) => {
    let asked = 0;
    const neighbour = createServer((socket) => {
      asked += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(neighbour, 'listening');
    const { port } = neighbour.address() as AddressInfo;
    const url = new URL(database.url);
    const hosts = `${url.host},127.0.0.1:${port}`;
    const store = await openPostgresStore({
      url: database.url.replace(url.host, hosts),
      poolSize: 1,
      maxOverflow: 0,
      connectTimeoutMs: 300,
    });
    const execution = await start(store);
    t.is(asked, 1);
    await lock(execution);
    const commit = judge(store, makePlan(execution, { events: [makeEvent()] }));
    await waitUntilBlocked(other);
    await t.throwsAsync(store.timers.nextDueInMs(), { message: /timeout exceeded/ });
    await other.query('rollback');
    t.like(await commit, { accepted: true });
    await store.timers.nextDueInMs();
    t.is(asked, 1);
    await store.close();
    neighbour.close();
  },
);

test.serial('a ping that gets no answer ends in time', async (t) => {
  const store = await openPostgresStore({ url: database.url, poolSize: 1, maxOverflow: 0 });
  const execution = await start(store);
  await lock(execution);
  const commit = judge(store, makePlan(execution, { events: [makeEvent()] }));
  await waitUntilBlocked(other);
  await t.throwsAsync(store.ping({ timeoutMs: 50 }), { instanceOf: StoreUnavailableError });
  t.deepEqual(store.poolUse(), { total: 1, idle: 0, waiting: 1 });
  await other.query('rollback');
  t.like(await commit, { accepted: true });
  await t.notThrowsAsync(store.ping({ timeoutMs: 5_000 }));
  await store.close();
});

async function lock({ executionId }: { readonly executionId: ExecutionId }): Promise<void> {
  await other.query('begin');
  await other.query('select id from executions where id = $1 for update', [
    executionId.slice('exec_'.length),
  ]);
}
