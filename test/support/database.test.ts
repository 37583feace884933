import { execFileSync } from 'node:child_process';
import test from 'ava';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, runOnServer, type Dialect } from './database.ts';

test('a test database has the migrated schema', async (t) => {
  const database = await createTestDatabase();
  t.true((await countTables(database.url)) > 0);
  await database.drop();
});

test('an empty database has no schema', async (t) => {
  const database = await createEmptyDatabase();
  t.is(await countTables(database.url), 0);
  await database.drop();
});

test('test databases are made side by side and are independent', async (t) => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await runOnServer(first.url, 'create table only_here (id integer)');
  t.is(await countTables(first.url), (await countTables(second.url)) + 1);
  await Promise.all([first.drop(), second.drop()]);
});

test('a database is dropped under an open connection', async (t) => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await database.drop();
  t.true((await lost) instanceof Error);
});

test('the server is PostgreSQL 15 or newer', async (t) => {
  const database = await createEmptyDatabase();
  const { rows } = await runOnServer(
    database.url,
    "select current_setting('server_version_num')::int as version",
  );
  t.true((rows as { version: number }[]).every(({ version }) => version >= 150_000));
  await database.drop();
});

test('a SQLite test database is a migrated file of its own', async (t) => {
  const database = await createTestDatabase('sqlite');
  const handle = new Database(database.url.replace(/^sqlite:/, ''));
  const tables = handle.prepare("select name from sqlite_schema where type = 'table'").all();
  handle.close();
  await database.drop();
  t.true(tables.length > 0);
});

for (const dialect of ['postgres', 'sqlite'] satisfies Dialect[]) {
  test(`${dialect}: without a test run the error says how to start one`, (t) => {
    const script = `
      import { createTestDatabase } from ${JSON.stringify(import.meta.resolve('./database.ts'))};
      const refuse = (error) => process.stdout.write(error.message);
      await Promise.try(createTestDatabase, '${dialect}').catch(refuse);
    `;
    const message = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TEST_TEMPLATE: '', TEST_SQLITE_TEMPLATE: '' },
      encoding: 'utf8',
    });
    t.regex(message, /is not set: .*"npm test"/);
  });
}

async function countTables(url: string): Promise<number> {
  const { rows } = await runOnServer(
    url,
    "select count(*)::int as tables from information_schema.tables where table_schema = 'public'",
  );
  return (rows as { tables: number }[]).reduce((sum, { tables }) => sum + tables, 0);
}
