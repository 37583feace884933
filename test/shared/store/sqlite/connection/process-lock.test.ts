import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import test, { type ExecutionContext } from 'ava';

import {
  lockDatabaseFile,
  openSqliteStore,
  StoreOpenError,
} from '../../../../../src/shared/store/sqlite/open.ts';

const HOLDER = fileURLToPath(new URL('hold-database-lock.ts', import.meta.url));
const SERVED = /is being served by another process: stop it, or name another file/;

test('a file is served once, until its lock is released', async (t) => {
  const path = join(await makeFolder(t), 'runtime.db');
  const lock = lockDatabaseFile(path);
  const error = t.throws(() => lockDatabaseFile(path), {
    instanceOf: StoreOpenError,
    message: SERVED,
  });
  t.true(error.message.includes(`"${path}"`));
  lock.release();
  lockDatabaseFile(path).release();
});

test('the death of a process gives its lock back', async (t) => {
  const path = join(await makeFolder(t), 'runtime.db');
  const holder = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  t.throws(() => lockDatabaseFile(path), { instanceOf: StoreOpenError, message: SERVED });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDatabaseFile(path).release();
});

test('the process that serves a file keeps its lock while it opens and restricts the file again', async (t) => {
  const path = join(await makeFolder(t), 'runtime.db');
  const lock = lockDatabaseFile(path);
  const store = await openSqliteStore({ path });
  await chmod(path, 0o644);
  await chmod(`${path}.lock`, 0o644);
  const visitor = await openSqliteStore({ path });
  t.throws(() => lockDatabaseFile(path), { message: SERVED });
  t.is((await stat(path)).mode & 0o777, 0o600);
  // Another process is necessary: the operating system never blocks a process by its own locks.
  const other = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [code] = (await once(other, 'exit')) as [number];
  t.is(code, 1);
  await visitor.close();
  await store.close();
  lock.release();
});

test('a served file can still be visited', async (t) => {
  const path = join(await makeFolder(t), 'runtime.db');
  const lock = lockDatabaseFile(path);
  const visitor = await openSqliteStore({ path });
  t.is(visitor.dialect, 'sqlite');
  await visitor.close();
  lock.release();
});

test('two names of one file have one lock', async (t) => {
  const folder = await makeFolder(t);
  const path = join(folder, 'runtime.db');
  await writeFile(path, '');
  await symlink(path, join(folder, 'alias.db'));
  await symlink(folder, join(folder, 'here'));
  const lock = lockDatabaseFile(path);
  t.throws(() => lockDatabaseFile(join(folder, 'alias.db')), { message: SERVED });
  t.throws(() => lockDatabaseFile(join(folder, 'here', 'runtime.db')), { message: SERVED });
  lock.release();
});

test('two files in one directory have two locks', async (t) => {
  const folder = await makeFolder(t);
  const locks = ['one.db', 'two.db'].map((name) => lockDatabaseFile(join(folder, name)));
  for (const lock of locks) lock.release();
  t.is(locks.length, 2);
});

test('the directory of the file is created when it is missing', async (t) => {
  const path = join(await makeFolder(t), 'data', 'svc', 'runtime.db');
  const lock = lockDatabaseFile(path);
  t.throws(() => lockDatabaseFile(path), { message: SERVED });
  lock.release();
});

test('a lock file that cannot be used is named', async (t) => {
  const file = join(await makeFolder(t), 'file');
  await writeFile(file, '');
  const path = join(file, 'runtime.db');
  const error = t.throws(() => lockDatabaseFile(path), { instanceOf: StoreOpenError });
  t.is(
    error.message,
    `lock file "${path}.lock" cannot be used: its directory must exist and be writable`,
  );
});

async function makeFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-lock-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
