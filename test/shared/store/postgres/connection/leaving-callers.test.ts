import test from 'ava';

import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../../support/database.ts';
import { makeTenantId } from '../../contract/make.ts';
import { connectRaw, waitUntilBlocked } from '../raw-client.ts';

/* With eight connections, readers have one, and so has management. */
const CONNECTIONS = { poolSize: 6, maxOverflow: 2 };
const WAIT_MS_MAX = 5_000;
const ABANDONED = 20;

for (const { of, table, read } of [
  { of: 'readers', table: 'executions', read: listExecutions },
  { of: 'management', table: 'tokens', read: listTokens },
]) {
  test(`a read of ${of} is answered before those that have waited for longer than callers do`, async (t) => {
    const database = await createTestDatabase('postgres');
    t.teardown(() => database.drop());
    const store = await openPostgresStore({
      url: database.url,
      ...CONNECTIONS,
      connectTimeoutMs: WAIT_MS_MAX,
    });
    const [blocker, observer] = await Promise.all([
      connectRaw(database.url),
      connectRaw(database.url),
    ]);
    const answered: string[] = [];
    const ask = async (name: string): Promise<void> => {
      await read(store);
      answered.push(name);
    };

    await blocker.query('begin');
    await blocker.query(`lock table ${table} in access exclusive mode`);
    const first = ask('first');
    await waitUntilBlocked(observer);
    const abandoned = Array.from({ length: ABANDONED }, () => ask('abandoned'));
    // The database is slow for more than half of the wait.
    await blocker.query(`select pg_sleep(${(0.6 * WAIT_MS_MAX) / 1_000})`);
    const fresh = ask('fresh');
    await blocker.query('rollback');
    await Promise.all([first, fresh, ...abandoned]);

    t.deepEqual(answered.slice(0, 2), ['first', 'fresh']);
    t.is(answered.length, ABANDONED + 2);
    t.like(store.poolUse(), { waiting: 0 });
    await Promise.all([ask('next'), ask('next')]);
    await Promise.all([blocker.end(), observer.end(), store.close()]);
  });
}

test('readers that wait for a connection are counted', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const store = await openPostgresStore({ url: database.url, ...CONNECTIONS });
  const [blocker, observer] = await Promise.all([
    connectRaw(database.url),
    connectRaw(database.url),
  ]);
  await blocker.query('begin');
  await blocker.query('lock table executions in access exclusive mode');
  const first = listExecutions(store);
  await waitUntilBlocked(observer);
  const others = Promise.all([listExecutions(store), listExecutions(store)]);
  await new Promise((resolve) => void setImmediate(resolve));
  t.like(store.poolUse(), { total: 1, idle: 0, waiting: 2 });
  await blocker.query('rollback');
  await Promise.all([first, others]);
  await Promise.all([blocker.end(), observer.end(), store.close()]);
});

function listExecutions(store: Store): Promise<unknown> {
  return store.executions.list({
    tenantId: makeTenantId(),
    status: null,
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 1,
    offset: 0,
  });
}

function listTokens(store: Store): Promise<unknown> {
  return store.tokens.list({ tenantId: makeTenantId(), limit: 1, offset: 0 });
}
