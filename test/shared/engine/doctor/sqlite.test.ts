import { chmodSync, closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

import test from 'ava';
import Database from 'better-sqlite3';

import { openSqliteStore } from '../../../../src/shared/store/sqlite/open.ts';
import { sqlitePath } from '../../../support/stores.ts';
import { openInstallation } from './doctor-scene.ts';

test('permissions: a file that others may read or write', async (t) => {
  const svc = await openInstallation(t, 'sqlite');
  const path = sqlitePath(svc.url);
  chmodSync(path, 0o666);
  t.is((await svc.ask()).verdict('permissions'), 'ok', 'nobody else may enter the directory');
  chmodSync(dirname(path), 0o755);
  const writable = await svc.ask();
  t.like(writable.check('permissions'), { verdict: 'fail', advice: `chmod 600 ${path}` });
  chmodSync(path, 0o644);
  t.is((await svc.ask()).verdict('permissions'), 'warn');
  chmodSync(path, 0o600);
  t.is((await svc.ask()).verdict('permissions'), 'ok');
});

test('integrity: pages that hold something else than they should', async (t) => {
  const svc = await openInstallation(t, 'sqlite');
  const path = sqlitePath(svc.url);
  t.is((await svc.ask()).verdict('integrity'), 'ok');
  const database = new Database(path);
  database.pragma('wal_checkpoint(truncate)');
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  const page = database
    .prepare<[], number>(`select rootpage from sqlite_schema where name = 'executions_by_age'`)
    .pluck()
    .get();
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(64, 0xff), 0, 64, ((page ?? 1) - 1) * pageBytes);
  closeSync(file);
  const reopened = await openSqliteStore({ path });
  t.teardown(() => reopened.close());
  const { check } = await svc.ask({ diagnosis: reopened.diagnosis });
  t.is(check('integrity').verdict, 'fail');
  t.regex(check('integrity').advice ?? '', /restore it from a backup/);
});

test('write-ahead log and disk: too much of the one, too little of the other', async (t) => {
  const svc = await openInstallation(t, 'sqlite');
  await svc.start({ nodes: { a: { kind: 'pass' } }, edges: [] });
  const bytes = statSync(`${sqlitePath(svc.url)}-wal`).size;
  t.true(bytes > 0);
  const enough = Number.MAX_SAFE_INTEGER;
  const some = await svc.ask({
    limits: { walBytes: { warn: bytes, fail: enough }, freeBytes: { warn: enough, fail: 0 } },
  });
  t.deepEqual([some.verdict('write-ahead log'), some.verdict('disk')], ['warn', 'warn']);
  const much = await svc.ask({
    limits: { walBytes: { warn: 1, fail: bytes }, freeBytes: { warn: enough, fail: enough } },
  });
  t.deepEqual([much.verdict('write-ahead log'), much.verdict('disk')], ['fail', 'fail']);
});

test('restore: a database that was replaced, and for how long', async (t) => {
  const svc = await openInstallation(t, 'sqlite');
  const path = sqlitePath(svc.url);
  t.is((await svc.ask()).verdict('restore'), 'ok');
  for (const stamp of ['20260101T000000Z', '20260102T000000Z', 'friday']) {
    writeFileSync(`${path}.before-${stamp}`, '');
  }
  const old = await svc.ask();
  t.is(old.verdict('restore'), 'ok');
  t.regex(old.check('restore').seen, /\.before-20260102T000000Z$/);
  const { check } = await svc.ask({ limits: { restoredMsWarn: Number.MAX_SAFE_INTEGER } });
  t.is(check('restore').verdict, 'warn');
  t.regex(check('restore').advice ?? '', /svc audit verify/);
});

test('durability: the settings of one of our connections', async (t) => {
  const svc = await openInstallation(t, 'sqlite');
  t.like((await svc.ask()).check('durability'), {
    verdict: 'ok',
    seen: 'journal_mode wal, synchronous FULL',
  });
});
