import { chmodSync, copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc } from './run-svc.ts';

/* With any umask, only the user who runs a command can read the files that it writes. */

process.umask(0);

const folder = createFolder();
const cwd = folder.path;

test.after.always(() => folder.remove());

test.serial(
  'databases, their logs and locks, keys and backups are for their owner alone',
  async (t) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = ['dev', '--port', String(port)];
    const dev = startSvc(args, { cwd, env: { SVC_TELEMETRY_METRICS_PORT: 'off' } });
    await dev.waitFor(/is running at/);
    const saved = await fetch(`${url}/v1/memory/settings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'openai', api_key: 'sk-made-up' }),
    });
    t.is(saved.status, 200, await saved.text());
    const database = join(cwd, '.svc/dev.db');
    const backup = await svc('db', 'backup', 'copies/one.db', '--database-url', database);
    t.is(backup.code, 0, backup.stderr);
    const expected = [
      'dev.db',
      'dev.db-wal',
      'dev.db-shm',
      'dev.db.lock',
      'encryption.key',
      'one.db',
    ];
    t.deepEqual(
      expected.filter((name) => !files().has(name)),
      [],
    );
    t.deepEqual(readByOthers(), []);

    await dev.stop('SIGKILL');
    for (const { path } of files().values()) chmodSync(path, 0o644);
    chmodSync(join(cwd, '.svc/encryption.key'), 0o600);
    const again = startSvc(args, { cwd, env: { SVC_TELEMETRY_METRICS_PORT: 'off' } });
    await again.waitFor(/is running at/);
    t.deepEqual(readByOthers('.svc'), [], 'files of an earlier version');
    await again.stop();

    copyFileSync(database, join(cwd, 'taken.db'));
    chmodSync(join(cwd, 'taken.db'), 0o644);
    chmodSync(database, 0o644);
    const restore = await svc('db', 'restore', 'taken.db', '--database-url', database);
    t.is(restore.code, 0, restore.stderr);
    t.true([...files().keys()].some((name) => name.startsWith('dev.db.before-')));
    t.deepEqual(readByOthers('.svc'), []);
  },
);

test.serial('a migrated database is for its owner alone before anything is in it', async (t) => {
  const { code } = await svc('db', 'migrate', '--database-url', 'other/new.db');
  t.is(code, 0);
  t.is(statSync(join(cwd, 'other/new.db')).mode & 0o777, 0o600);
});

function svc(...args: string[]) {
  return runSvc(args, { cwd });
}

function files(inside = ''): Map<string, { readonly path: string; readonly mode: number }> {
  const found = readdirSync(join(cwd, inside), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  return new Map(
    found.map(({ name, parentPath }) => {
      const path = join(parentPath, name);
      return [name, { path, mode: statSync(path).mode }];
    }),
  );
}

function readByOthers(inside = ''): readonly string[] {
  return [...files(inside)]
    .flatMap(([name, { mode }]) => ((mode & 0o077) === 0 ? [] : [name]))
    .toSorted();
}
