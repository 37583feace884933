import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import test from 'ava';

import { createEmptyDatabase, createTestDatabase, type Dialect } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
const cwd = folder.path;

interface Status {
  readonly current: number;
  readonly latest: number;
  readonly pending: readonly { readonly title: string }[];
}

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: migrate brings an empty database to the latest version, once`, async (t) => {
    const database = await createEmptyDatabase(dialect);
    t.teardown(() => database.drop());
    const env = { SVC_DATABASE_URL: database.url };

    const before = await runSvc(['db', 'status', '-o', 'json'], { cwd, env });
    t.is(before.code, 1);
    const { current, latest, pending } = JSON.parse(before.stdout) as Status;
    t.is(current, 0);
    t.is(pending.length, latest);
    t.regex(before.stderr, /run "node \S*\/svc\.js db migrate"/);

    const first = await runSvc(['db', 'migrate'], { cwd, env });
    t.is(first.code, 0, first.stderr);
    t.regex(first.stdout, /^applied migration 1 /);
    t.true(first.stdout.endsWith(`is now at version ${latest}\n`), first.stdout);

    const again = await runSvc(['db', 'migrate', '-o', 'json'], { cwd, env });
    t.is(again.code, 0);
    t.is((JSON.parse(again.stdout) as { applied: number }).applied, 0);

    const after = await runSvc(['db', 'status', '-o', 'json'], { cwd, env });
    t.is(after.code, 0);
    const { tables, server, ...told } = JSON.parse(after.stdout) as Status & {
      readonly tables: readonly { readonly table: string }[];
      readonly server: { readonly dialect: string };
    };
    t.is(told.current, latest);
    t.is(server.dialect, dialect);
    t.true(tables.some(({ table }) => table === 'executions'));
  });

  test(`${dialect}: a migrated database has nothing pending`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const { code, stdout } = await runSvc(['db', 'status', '--database-url', database.url], {
      cwd,
    });
    t.is(code, 0);
    t.regex(stdout, /^pending +none$/m);
    t.regex(stdout, /^events +0 /m);
  });
}

test('the database of serve is the default', async (t) => {
  const { stdout } = await runSvc(['db', 'migrate'], { cwd });
  t.regex(stdout, /\.svc\/runtime\.db/);
});

test('1: no PostgreSQL there', async (t) => {
  const url = `postgres://me:secret@127.0.0.1:${await freePort()}/svc`;
  const { code, stderr } = await runSvc(['db', 'migrate', '--database-url', url], { cwd });
  t.is(code, 1);
  t.regex(
    stderr,
    /^database: .*\nerror: PostgreSQL at postgres:\/\/me:\*\*\*@127.* cannot be reached: .*\n$/,
  );
});

test('1: a PostgreSQL server without that database', async (t) => {
  const database = await createEmptyDatabase('postgres');
  await database.drop();
  const { code, stderr } = await runSvc(['db', 'status', '--database-url', database.url], { cwd });
  t.is(code, 1);
  t.regex(
    stderr,
    /^database: .*\nerror: PostgreSQL at .* has no such database: create it first .*\n$/,
  );
});

test('1: a file that is no database', async (t) => {
  await writeFile(join(cwd, 'notes.txt'), 'These are notes, not a database. '.repeat(50));
  const { code, stderr } = await runSvc(['db', 'migrate', '--database-url', 'notes.txt'], { cwd });
  t.is(code, 1);
  t.regex(
    stderr,
    /^database: .*\nerror: database file ".*notes\.txt" is not an SQLite database: .*\n$/,
  );
});

test('1: a directory in place of the database', async (t) => {
  const { code, stderr } = await runSvc(['db', 'migrate', '--database-url', '.'], { cwd });
  t.is(code, 1);
  t.regex(stderr, /^database: .*\nerror: database file ".*" cannot be opened: .*\n$/);
});

test('2: an address of an unknown kind', async (t) => {
  const { code, stderr } = await runSvc(['db', 'status', '--database-url', 'mysql://x/y'], {
    cwd,
  });
  t.is(code, 2);
  t.regex(stderr, /database\.url: .*mysql/);
});
