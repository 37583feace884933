import test from 'ava';

import {
  checkSchema,
  migrateDatabase,
  SchemaError,
} from '../../src/shared/store/opening/migrate.ts';
import { readMigrations } from '../../src/shared/store/opening/migrations.ts';
import { openPostgresStore } from '../../src/shared/store/postgres/open.ts';
import { migratePostgres } from '../../src/shared/store/postgres/connection/migrator.ts';
import { claim, startWithItems } from '../shared/store/contract/drive.ts';
import { connectRaw } from '../shared/store/postgres/raw-client.ts';
import { createEmptyDatabase } from '../support/database.ts';

/*
 * This version works on a database of the previous version, and besides its processes. These tests
 * need no history of the repository; `npm run test:upgrade` runs real processes of the previous
 * version.
 */

/** The last migration before fences had epochs. */
const BEFORE_EPOCHS = 11;
const DRAWS = 200;

test('a process refuses the schema of the version before, and says how to migrate', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const known = await readMigrations('postgres');
  await migratePostgres({
    url: database.url,
    known: known.slice(0, -1),
    onApplied: () => undefined,
  });
  await t.throwsAsync(checkSchema({ url: database.url, autoMigrate: false }), {
    instanceOf: SchemaError,
    message: /run "svc db migrate"/,
  });
  t.is((await migrateDatabase({ url: database.url })).applied, 1);
  await t.notThrowsAsync(checkSchema({ url: database.url, autoMigrate: false }));
});

test('fences of processes that draw them as before stay apart from those of this version', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const known = await readMigrations('postgres');
  const { url } = database;
  await migratePostgres({ url, known: known.slice(0, BEFORE_EPOCHS), onApplied: () => undefined });
  const before = await connectRaw(url);
  const drawBefore = async (): Promise<number> => {
    const { rows } = await before.query<{ readonly fence: string }>(
      `select nextval('lease_fence_seq') as fence`,
    );
    return Number(rows[0]?.fence);
  };
  const first = await drawBefore();
  await migrateDatabase({ url });
  const store = await openPostgresStore({ url });
  t.teardown(() => store.close());
  const drawn: number[] = [];
  while (drawn.length < DRAWS) {
    const { tenantId } = await startWithItems(store, [{}]);
    const [items, old] = await Promise.all([claim(store, tenantId), drawBefore()]);
    drawn.push(old, ...items.map(({ leaseFence }) => leaseFence));
  }
  await before.end();
  t.is(new Set([first, ...drawn]).size, drawn.length + 1);
  t.true(Math.min(...drawn) > first);
});
