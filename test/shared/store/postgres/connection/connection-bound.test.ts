import test from 'ava';

import { checkStartup } from '../../../../../src/runtime/check-startup.ts';
import { ConfigError } from '../../../../../src/shared/config/config-error.ts';
import { loadConfig } from '../../../../../src/shared/config/load.ts';
import { DEFAULT_TENANT } from '../../../../../src/shared/domain/ids.ts';
import { migrationStatus } from '../../../../../src/shared/store/opening/migrate.ts';
import {
  CONNECTIONS_MIN,
  divideConnections,
} from '../../../../../src/shared/store/postgres/connection/divide-connections.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { makeExecutionId } from '../../contract/make.ts';
import { connectRaw, waitUntilBlocked } from '../raw-client.ts';

for (const { poolSize, maxOverflow } of [
  { poolSize: 5, maxOverflow: CONNECTIONS_MIN - 5 },
  { poolSize: 10, maxOverflow: 5 },
]) {
  const bound = poolSize + maxOverflow;

  test(`a process with everything open has ${bound} connections at ${poolSize} + ${maxOverflow}`, async (t) => {
    const database = await createTestDatabase('postgres');
    t.teardown(() => database.drop());
    const store = await openPostgresStore({
      url: database.url,
      poolSize,
      maxOverflow,
      connectTimeoutMs: 30_000,
    });
    const census = await startCensus(database.url);
    const blocker = await connectRaw(database.url);
    const { hot, readers, management } = divideConnections({ poolSize, maxOverflow });

    await Promise.all([store.wake.listen(() => undefined), store.shards.balance({ target: 64 })]);
    await blocker.query('begin');
    await blocker.query('lock table executions, tokens in access exclusive mode');
    const load = keepAsking(store);
    const observer = await connectRaw(database.url);
    await waitUntilBlocked(observer, hot + readers + management);
    await observer.end();
    // Statements that wait for long make the process ask whether the server still answers.
    await eventually(() => {
      if (!census.names().has('svc-probe')) throw new Error('the server has not been asked');
    });
    t.is(census.most(), bound);
    await blocker.query('rollback');
    await blocker.end();
    await census.end();

    const second = await startCensus(database.url, { withProbes: false });
    for (let round = 0; round < 5; round += 1) {
      const [facts, status] = await Promise.all([
        store.diagnosis.serverFacts({ checkedBytesMax: 0 }),
        store.aside(() => migrationStatus({ url: database.url })),
      ]);
      t.like(facts, { isPooledByTransaction: false });
      t.deepEqual(status.pending, []);
    }
    t.is(await store.retention.partitionEvents({ days: 7 }), 'done');
    await store.retention.tendPartitions({ sweepAfterMs: 0 });
    await load.end();
    await second.end();
    t.true(second.names().has('svc-migrate'));
    t.is(second.most(), bound - 1);
    await store.close();
  });
}

test('the shares of any bound add up to it', (t) => {
  for (let bound = CONNECTIONS_MIN; bound <= 1_000; bound += 1) {
    const poolSize = Math.ceil(bound / 2);
    const shares = divideConnections({ poolSize, maxOverflow: bound - poolSize });
    const { hot, kept, readers, management } = shares;
    t.is(hot + readers + management + 3, bound);
    t.true(hot >= 3 && readers >= 1 && management >= 1 && kept <= hot, String(bound));
  }
});

test('a process does not start with fewer connections than it needs, and says what to set', (t) => {
  const start = (poolSize: string) => {
    const loaded = loadConfig({
      flags: {},
      env: { SVC_DATABASE_POOL_SIZE: poolSize, SVC_DATABASE_MAX_OVERFLOW: '2' },
      configFile: null,
      cwd: '/',
      mode: 'dev',
    });
    if (!loaded.ok) throw new ConfigError(loaded.problems);
    const { config } = loaded;
    const postgres = { dialect: 'postgres', url: 'postgres://db.example/svc' } as const;
    checkStartup({ config, database: postgres, role: 'all' });
  };
  const error = t.throws(() => start('5'), { instanceOf: ConfigError });
  t.is(
    error.message,
    'database.pool_size: 5 and database.max_overflow: 2 allow a process 7 connections; ' +
      'on PostgreSQL it needs 8, so raise one of them',
  );
  t.notThrows(() => start('6'));
});

/** Asks more than all pools can serve at once, until it ends. */
function keepAsking(store: Store) {
  const tenantId = DEFAULT_TENANT;
  const page = { tenantId, limit: 1, offset: 0 };
  const all = { status: null, workflowId: null, createdAfter: null, createdBefore: null };
  const questions = [
    () => store.executions.usage(makeExecutionId()),
    () => store.executions.list({ ...page, ...all, cursor: null }),
    () => store.tokens.list(page),
  ];
  const ending = new AbortController();
  const { signal } = ending;
  const asking = questions.flatMap((ask) =>
    Array.from({ length: 12 }, async () => {
      while (!signal.aborted) await ask();
    }),
  );
  return {
    async end() {
      ending.abort();
      await Promise.all(asking);
    },
  };
}

/** Counts the sessions of the database, besides its own and the blocker's, again and again. */
async function startCensus(url: string, { withProbes = true } = {}) {
  const observer = await connectRaw(url);
  const names = new Set<string>();
  const ending = new AbortController();
  const { signal } = ending;
  let most = 0;
  const counting = (async () => {
    while (!signal.aborted) {
      const { rows } = await observer.query<{ readonly name: string }>(
        `select application_name as name
         from pg_stat_activity
         where datname = current_database()
           and application_name like 'svc%'
           and ($1 or application_name <> 'svc-probe')`,
        [withProbes],
      );
      most = Math.max(most, rows.length);
      for (const { name } of rows) names.add(name);
    }
  })();
  return {
    most: () => most,
    names: (): ReadonlySet<string> => names,
    async end() {
      ending.abort();
      await counting;
      await observer.end();
    },
  };
}
