import test from 'ava';

import {
  readMigrations,
  SchemaError,
  type Migration,
} from '../../../../../src/shared/store/opening/migrations.ts';
import { migrateDatabase } from '../../../../../src/shared/store/opening/migrate.ts';
import { advisoryKey } from '../../../../../src/shared/store/postgres/connection/advisory-key.ts';
import {
  migratePostgres,
  readAppliedPostgres,
} from '../../../../../src/shared/store/postgres/connection/migrator.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { createEmptyDatabase, runOnServer } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { freePort } from '../../../../support/servers/ports.ts';
import { connectRaw } from '../raw-client.ts';

test('one of twenty concurrent migrations runs, and all find it done', async (t) => {
  const database = await createEmptyDatabase();
  const { length: version } = await readMigrations('postgres');
  const runs = await Promise.all(
    Array.from({ length: 20 }, () => migrateDatabase({ url: database.url })),
  );
  t.is(
    runs.reduce((sum, { applied }) => sum + applied, 0),
    version,
  );
  t.true(runs.every((run) => run.version === version));
  await database.drop();
});

test('a migration that fails leaves the version before it, and can be mended', async (t) => {
  const database = await createEmptyDatabase();
  const good = makeMigration(1, 'create table one (id integer)');
  const bad = makeMigration(2, 'create table two (id integer); select no_such_function()');
  const error = await t.throwsAsync(migrate(database.url, [good, bad]), {
    instanceOf: SchemaError,
  });
  t.regex(error.message, /migration 2 \(title_2\) failed.*no_such_function/);
  t.like(await readAppliedPostgres(database), [{ number: 1 }]);
  const mended = makeMigration(2, 'create table two (id integer)');
  t.is(await migrate(database.url, [good, mended]), 1);
  await database.drop();
});

test('a table of migrations without the newest column is read, and gets it', async (t) => {
  const database = await createEmptyDatabase();
  const known = [makeMigration(1, 'select 1'), { ...makeMigration(2, 'select 1'), worksFrom: 1 }];
  await migrate(database.url, known.slice(0, 1));
  await runOnServer(database.url, 'alter table schema_migrations drop column works_from');
  t.like(await readAppliedPostgres(database), [{ number: 1, worksFrom: null }]);
  t.is(await migrate(database.url, known), 1);
  t.like(await readAppliedPostgres(database), [{ worksFrom: null }, { worksFrom: 1 }]);
  await database.drop();
});

test('a migration gives up on a table in use after a while, and says who has it', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const [first, second] = [ONE, ONE_NAMED];
  await migrate(database.url, [first]);
  const user = await connectRaw(database.url);
  await user.query('begin; select * from one');
  const waits: string[] = [];
  const error = await t.throwsAsync(
    migratePostgres({
      url: database.url,
      known: [first, second],
      onApplied: () => undefined,
      onWaiting: (line) => waits.push(line),
      patience: { lockMs: 20, restMs: 20, totalMs: 300 },
    }),
    { instanceOf: SchemaError },
  );
  t.regex(
    error.message,
    /^migration 2 .* in use for .*process \d+ .*idle in transaction.*"svc db migrate" again$/,
  );
  t.true(waits.length >= 2);
  t.regex(waits[0] ?? '', /^migration 2 \(title_2\) waits for tables in use/);
  t.like(await readAppliedPostgres(database), [{ number: 1 }]);
  await user.query('rollback');
  t.is(await migrate(database.url, [first, second]), 1);
  await user.end();
});

test('a migration that waits for a long transaction holds up nobody else, and continues after it', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  await migrate(database.url, [ONE]);
  const [holder, user] = [await connectRaw(database.url), await connectRaw(database.url)];
  await holder.query('begin; select * from one');
  const waits: string[] = [];
  const migrating = migratePostgres({
    url: database.url,
    known: [ONE, ONE_NAMED],
    onApplied: () => undefined,
    onWaiting: (line) => waits.push(line),
    patience: { lockMs: 100, restMs: 20, totalMs: 60_000 },
  });
  let slowestMs = 0;
  while (waits.length < 4) {
    const beganAt = performance.now();
    await user.query('insert into one values (1)');
    slowestMs = Math.max(slowestMs, performance.now() - beganAt);
  }
  t.true(slowestMs < 2_000, `an insert took ${slowestMs} ms`);
  await holder.query('rollback');
  t.is(await migrating, 1);
  t.is((await user.query('select name from one limit 1')).rows.length, 1);
  await Promise.all([holder.end(), user.end()]);
});

test('a runner waits while another has the lock, without holding a snapshot', async (t) => {
  const database = await createEmptyDatabase();
  const holder = await connectRaw(database.url);
  await holder.query('select pg_advisory_lock($1)', [advisoryKey('migration', 0)]);
  const waiting = migrate(database.url, [makeMigration(1, 'create table one (id integer)')]);
  const idle = await eventually(async () => {
    const { rows } = await holder.query<{ readonly state: string; readonly xmin: string | null }>(
      `select state, backend_xmin::text as xmin
       from pg_stat_activity
       where datname = current_database()
         and application_name = 'svc-migrate'
         and query like '%pg_try_advisory_lock%'
         and state = 'idle'`,
    );
    if (rows[0] === undefined) throw new Error('nobody waits');
    return rows[0];
  });
  t.is(idle.xmin, null);
  await holder.query('select pg_advisory_unlock($1)', [advisoryKey('migration', 0)]);
  t.is(await waiting, 1);
  await holder.end();
  await database.drop();
});

test('a database that cannot be reached is unavailable', async (t) => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
  await t.throwsAsync(migrateDatabase({ url }), { instanceOf: StoreUnavailableError });
});

const ONE = makeMigration(1, 'create table one (id integer)');
const ONE_NAMED = makeMigration(2, 'alter table one add column name text');

function migrate(url: string, known: readonly Migration[]): Promise<number> {
  return migratePostgres({ url, known, onApplied: () => undefined });
}

function makeMigration(number: number, sql: string): Migration {
  return { number, title: `title_${number}`, sql, checksum: `sum-${number}`, worksFrom: number };
}
