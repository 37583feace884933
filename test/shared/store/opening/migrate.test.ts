import test from 'ava';
import Database from 'better-sqlite3';

import {
  checkSchema,
  migrateDatabase,
  migrationStatus,
  SchemaError,
} from '../../../../src/shared/store/opening/migrate.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  runOnServer,
  type Dialect,
} from '../../../support/database.ts';

for (const dialect of ['postgres', 'sqlite'] satisfies Dialect[]) {
  test(`${dialect}: a new database is migrated once, each step named`, async (t) => {
    const database = await createEmptyDatabase(dialect);
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const { latest, pending } = await migrationStatus(database);
    t.is(pending.length, latest);
    t.deepEqual(await migrateDatabase({ ...database, log }), { applied: latest, version: latest });
    t.deepEqual(await migrateDatabase({ ...database, log }), { applied: 0, version: latest });
    t.is(lines[0], 'applied migration 1 (initial)');
    t.is(lines.length, latest);
    await database.drop();
  });

  test(`${dialect}: looking at the status of a new database writes nothing`, async (t) => {
    const database = await createEmptyDatabase(dialect);
    const status = await migrationStatus(database);
    t.is(status.current, 0);
    t.deepEqual(await migrationStatus(database), status);
    await database.drop();
  });

  test(`${dialect}: a start on the schema of this program passes`, async (t) => {
    const database = await createTestDatabase(dialect);
    await t.notThrowsAsync(checkSchema({ ...database, autoMigrate: false }));
    const status = await migrationStatus(database);
    t.is(status.current, status.latest);
    t.deepEqual(status.pending, []);
    await database.drop();
  });

  test(`${dialect}: a start on an older schema says how to migrate, or does it`, async (t) => {
    const database = await createEmptyDatabase(dialect);
    await t.throwsAsync(checkSchema({ ...database, autoMigrate: false }), {
      instanceOf: SchemaError,
      message: /version 0, .* version \d+: run "svc db migrate"/,
    });
    const lines: string[] = [];
    await checkSchema({ ...database, autoMigrate: true, log: (line) => lines.push(line) });
    t.deepEqual(lines, [`applied ${(await migrationStatus(database)).latest} migrations`]);
    await t.notThrowsAsync(checkSchema({ ...database, autoMigrate: false }));
    await database.drop();
  });

  test(`${dialect}: a start on a newer schema is refused, with every permission`, async (t) => {
    const database = await createTestDatabase(dialect);
    await execute(
      database.url,
      `insert into schema_migrations (number, title, checksum) values (9001, 'later', 'x')`,
    );
    for (const autoMigrate of [false, true]) {
      await t.throwsAsync(checkSchema({ ...database, autoMigrate }), {
        instanceOf: SchemaError,
        message: /version 9001, .* version \d+/,
      });
    }
    await t.throwsAsync(migrateDatabase(database), { instanceOf: SchemaError });
    await database.drop();
  });

  test(`${dialect}: a start on a newer schema that works from here passes, and says so`, async (t) => {
    const database = await createTestDatabase(dialect);
    const { latest } = await migrationStatus(database);
    await execute(
      database.url,
      `insert into schema_migrations (number, title, checksum, works_from)
       values (9001, 'later', 'x', ${latest})`,
    );
    const lines: string[] = [];
    await checkSchema({ ...database, autoMigrate: true, log: (line) => lines.push(line) });
    t.regex(lines.join(), /version 9001, of a newer program/);
    t.deepEqual(await migrateDatabase(database), { applied: 0, version: 9001 });
    await database.drop();
  });

  test(`${dialect}: a parsed target is taken as well as a URL`, async (t) => {
    const database = await createTestDatabase(dialect);
    const path = database.url.replace(/^sqlite:/, '');
    const target =
      dialect === 'postgres'
        ? ({ dialect, url: database.url } as const)
        : ({ dialect, path } as const);
    t.deepEqual(await migrationStatus(target), await migrationStatus(database));
    await database.drop();
  });
}

test('a bare path is an SQLite file', async (t) => {
  const database = await createEmptyDatabase('sqlite');
  const path = database.url.replace(/^sqlite:/, '');
  t.true((await migrateDatabase({ url: path })).applied > 0);
  t.deepEqual((await migrationStatus(database)).pending, []);
  await database.drop();
});

async function execute(url: string, sql: string): Promise<void> {
  if (!url.startsWith('sqlite:')) {
    await runOnServer(url, sql);
    return;
  }
  const database = new Database(url.replace(/^sqlite:/, ''));
  database.exec(sql);
  database.close();
}
