import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';

import {
  connect,
  forAnyValues,
  isOlder,
  type Connection,
} from '../../../../../src/shared/store/sqlite/connection/connect.ts';
import {
  explainOpenFailure,
  translateError,
} from '../../../../../src/shared/store/sqlite/connection/errors.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

test('commits are durable before they are answered', async (t) => {
  const { database } = await connectNew(t);
  t.is(database.pragma('journal_mode', { simple: true }), 'wal');
  t.is(database.pragma('synchronous', { simple: true }), 2);
  t.is(database.pragma('foreign_keys', { simple: true }), 1);
});

test('versions are compared by their numbers', (t) => {
  for (const [version, than] of [
    ['3.9.9', '3.51.3'],
    ['3.51.2', '3.51.3'],
    ['3.51', '3.51.3'],
    ['2.60.0', '3.51.3'],
  ] as const) {
    t.true(isOlder(version, than), version);
    t.false(isOlder(than, version), version);
  }
  t.false(isOlder('3.51.3', '3.51.3'));
  t.false(isOlder('3.51.3.1', '3.51.3'));
});

test('a transaction that throws leaves nothing and lets the next one through', async (t) => {
  const connection = await connectNew(t);
  const failing = connection.write(() => {
    connection.run('insert into notes (text) values (:text)', { text: 'one' });
    throw new RangeError('no');
  });
  await t.throwsAsync(failing, { instanceOf: RangeError });
  await connection.write(() => {
    connection.run('insert into notes (text) values (:text)', { text: 'two' });
  });
  t.deepEqual(connection.all('select text from notes'), [{ text: 'two' }]);
});

test('an error about the data is passed on as it is', async (t) => {
  const connection = await connectNew(t);
  const failing = connection.write(() => {
    connection.run('insert into notes (text) values (:text)', { text: null });
  });
  await t.throwsAsync(failing, { code: 'SQLITE_CONSTRAINT_NOTNULL' });
});

test('a full disk makes the store unavailable and keeps what was committed', async (t) => {
  const connection = await connectNew(t);
  const { database } = connection;
  const write = (length: number) =>
    connection.write(() => {
      connection.run('insert into notes (text) values (:text)', { text: 'x'.repeat(length) });
    });
  await write(10);
  database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`);
  const error = await t.throwsAsync(write(100_000), { instanceOf: StoreUnavailableError });
  t.false(error.ambiguous);
  t.is(error.shortOf, 'disk');
  t.deepEqual(connection.all('select length(text) as length from notes'), [{ length: 10 }]);
  database.pragma('max_page_count = 1000000');
  await write(100_000);
});

test('a commit that does not fit is not written, and any other failed commit may be', (t) => {
  const translated = (code: string) =>
    translateError(new Database.SqliteError('trouble', code), { ambiguous: true });
  t.like(translated('SQLITE_FULL'), { ambiguous: false, shortOf: 'disk' });
  t.like(translated('SQLITE_NOMEM'), { ambiguous: true, shortOf: 'memory' });
  t.like(translated('SQLITE_IOERR_FSYNC'), { ambiguous: true, shortOf: null });
});

test('no statement is compiled for the values of one execution', (t) => {
  t.is(
    forAnyValues('select a from t where b = :b and c >= ? and :d is null order by e limit :limit'),
    'select a from t where b = +:b and c >= +? and :d is null order by e limit :limit + 0',
  );
  t.is(
    forAnyValues('insert into t values (:a, ?) limit 5'),
    'insert into t values (:a, ?) limit 5',
  );
});

test('a value is compared as what it is, and a negative limit is none', async (t) => {
  const connection = await connectNew(t);
  const { database } = connection;
  database.exec('create table kinds (id integer primary key, value any) strict');
  const values = [7, '7', 1.5, new Uint8Array([7])];
  for (const value of values) database.prepare('insert into kinds (value) values (?)').run(value);
  const found = values.map((value) =>
    connection
      .all<{ readonly id: number }>(
        'select id from kinds where value = :value order by id limit :limit',
        { value, limit: -1 },
      )
      .map(({ id }) => id),
  );
  t.deepEqual(found, [[1], [2], [3], [4]]);
  t.is(connection.all('select id from kinds where id > ? order by id limit ?', [1, 2]).length, 2);
});

test('a reading sees one moment, during any writes of another process', async (t) => {
  const connection = await connectNew(t);
  const other = new Database(connection.path);
  t.teardown(() => other.close());
  const count = () => connection.get<{ readonly n: number }>('select count(*) as n from notes')?.n;
  const counts = await connection.read(() => {
    const before = count();
    other.exec(`insert into notes (text) values ('other')`);
    return [before, count()];
  });
  t.deepEqual(counts, [0, 0]);
  t.is(count(), 1);
});

for (const [code, advice] of [
  ['SQLITE_READONLY_DIRECTORY', /cannot be written: make the file and its directory writable/],
  ['SQLITE_PERM', /cannot be written: make the file and its directory writable/],
  ['SQLITE_FULL', /cannot be written: the disk is full/],
  ['SQLITE_IOERR_READ', /cannot be used: trouble \(SQLITE_IOERR_READ\)/],
] as const) {
  test(`${code} at opening is explained in one line`, (t) => {
    const cause = new Database.SqliteError('trouble', code);
    const error = explainOpenFailure('data/runtime.db', cause);
    t.is(error.name, 'StoreOpenError');
    t.regex(error.message, advice);
    t.true(error.message.startsWith('database file "data/runtime.db" '));
    t.is(error.cause, cause);
  });
}

async function connectNew(t: ExecutionContext): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-connect-'));
  const connection = connect({ path: join(folder, 'notes.db') });
  connection.database.exec('create table notes (text text not null) strict');
  t.teardown(async () => {
    connection.close();
    await rm(folder, { recursive: true, force: true });
  });
  return connection;
}
