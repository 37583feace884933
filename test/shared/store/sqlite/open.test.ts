import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';

import { openSqliteStore, StoreOpenError } from '../../../../src/shared/store/sqlite/open.ts';
import { StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { openTestStore, sqlitePath } from '../../../support/stores.ts';
import { judge, start } from '../contract/drive.ts';
import { makeEvent, makeKey, makePlan, makeTenantId, makeUuid } from '../contract/make.ts';

test('a file and its directory are created when they are missing', async (t) => {
  const path = join(await makeFolder(t), 'data', 'svc', 'runtime.db');
  const store = await openSqliteStore({ path });
  await store.close();
  t.is(new Database(path, { fileMustExist: true }).pragma('journal_mode', { simple: true }), 'wal');
});

test('a file that is no database is refused with what to do', async (t) => {
  const path = join(await makeFolder(t), 'notes.txt');
  await writeFile(path, 'These are notes and no database.\n'.repeat(300));
  await refuses(t, path, /is not an SQLite database: name another file/);
});

test('a damaged file is refused with what to do', async (t) => {
  const { url, close } = await openTestStore('sqlite');
  t.teardown(close);
  const database = new Database(sqlitePath(url));
  database.pragma('wal_checkpoint(truncate)');
  database.close();
  // Keeps the header intact, and damages the table of tables behind it.
  const file = await open(sqlitePath(url), 'r+');
  await file.write(Buffer.alloc(3_000, 0xff), 0, 3_000, 100);
  await file.close();
  await refuses(t, sqlitePath(url), /is damaged: .* restore it from a backup/);
});

test('a directory is refused', async (t) => {
  await refuses(t, await makeFolder(t), /cannot be opened: .* it must be a file/);
});

test('a path below a file is refused', async (t) => {
  const path = join(await makeFolder(t), 'file');
  await writeFile(path, '');
  await refuses(t, join(path, 'runtime.db'), /cannot be opened: its directory must exist/);
  await refuses(t, join(path, 'data', 'runtime.db'), /directory cannot be made/);
});

test('a directory that nobody can make is refused', async (t) => {
  await refuses(t, '/proc/none/runtime.db', /directory cannot be made/);
});

test('a file that another process holds is refused', async (t) => {
  const path = join(await makeFolder(t), 'held.db');
  const holder = new Database(path);
  t.teardown(() => holder.close());
  holder.exec('create table held (id integer); begin exclusive');
  await refuses(t, path, /is locked by another process: stop that process/);
});

test('two processes may have one file open, each seeing what the other wrote', async (t) => {
  const { store, url, close } = await openTestStore('sqlite');
  const visitor = await openSqliteStore({ path: sqlitePath(url) });
  t.teardown(async () => {
    await visitor.close();
    await close();
  });
  const hash = makeKey();
  const tenantId = makeTenantId();
  const made = await visitor.tokens.create({
    tokenId: makeUuid(),
    tenantId,
    name: 'ci',
    role: 'viewer',
    expiresInMs: null,
    actorId: 'system:cli',
    hash,
  });
  t.deepEqual(await store.tokens.findByHash(hash), made);
});

test('while another process writes, the store is unavailable and then good again', async (t) => {
  const { url, close } = await openTestStore('sqlite');
  const store = await openSqliteStore({ path: sqlitePath(url), busyTimeoutMs: 0 });
  const writer = new Database(sqlitePath(url));
  t.teardown(async () => {
    await store.close();
    await close();
  });
  const execution = await start(store);
  const plan = makePlan(execution, { events: [makeEvent()] });
  writer.exec('begin immediate');
  const error = await t.throwsAsync(judge(store, plan), { instanceOf: StoreUnavailableError });
  t.false(error.ambiguous);
  t.like(await store.executions.find(execution.executionId, null), { lastSequence: 1 });
  writer.exec('rollback');
  writer.close();
  t.like(await judge(store, plan), { accepted: true, lastSequence: 2 });
});

test('a closed store is unavailable', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  await close();
  await t.throwsAsync(store.ping({ timeoutMs: 1_000 }), { instanceOf: StoreUnavailableError });
});

async function makeFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-open-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  return folder;
}

async function refuses(t: ExecutionContext, path: string, message: RegExp): Promise<void> {
  const error = await t.throwsAsync(openSqliteStore({ path, busyTimeoutMs: 0 }), {
    instanceOf: StoreOpenError,
    message,
  });
  t.true(error.message.includes(`"${path}"`));
  t.false(error.message.includes('\n'));
}
