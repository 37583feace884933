import test from 'ava';

import { readMigrations } from '../../src/shared/store/opening/migrations.ts';
import { migratePostgres } from '../../src/shared/store/postgres/connection/migrator.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { connectRaw } from '../shared/store/postgres/raw-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { assertEndsWell } from './support/checked.ts';
import { startRecordedLoad } from './support/recorded-load.ts';

/* A migration needs a hot table that another transaction holds, while requests continue. */

const WAITS = 4;

test('work continues while a migration waits for a table, and after it', async (t) => {
  t.timeout(180_000);
  const database = await createTestDatabase('postgres');
  const cluster = new Cluster(database.url);
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  const api = await cluster.startApi();
  await cluster.startScheduler();
  const { apiKey } = cluster;
  await new ClusterClient({ urls: [api.url], apiKey }).register(chain);
  const load = startRecordedLoad({
    pick: () => api.url,
    apiKey,
    workflowId: 'chain',
    name: 'migrated',
    callers: 2,
    workers: 2,
    restMs: 100,
  });
  const moreCompleted = async () => {
    const enough = load.completed + 5;
    await eventually(() => {
      if (load.completed < enough) throw new Error(`${load.completed} items are completed`);
    });
  };
  await moreCompleted();

  const holder = await connectRaw(database.url);
  await holder.query('begin; select from work_queue limit 1');
  const known = await readMigrations('postgres');
  const completed: number[] = [];
  const migrating = migratePostgres({
    url: database.url,
    known: [...known, { ...NEXT, number: known.length + 1 }],
    onApplied: () => undefined,
    onWaiting: () => completed.push(load.completed),
  });
  await eventually(
    () => {
      if (completed.length < WAITS) throw new Error(`it has waited ${completed.length} times`);
    },
    { withinMs: 60_000 },
  );
  await holder.query('rollback');
  await holder.end();
  t.is(await migrating, 1);
  // Between two attempts of the migration, work continues.
  t.true(
    completed.slice(1).every((count, index) => count > (completed[index] ?? 0)),
    completed.join(),
  );

  await moreCompleted();
  await load.endStarts();
  await assertEndsWell(t, { url: database.url, history: load.history, least: 5 });
  await load.stop();
  t.deepEqual(load.failures, []);
});

/** A migration that the next version might add. */
const NEXT = {
  title: 'next',
  sql: 'alter table work_queue add column note text; alter table executions add column note text',
  checksum: 'none',
  worksFrom: 1,
};
