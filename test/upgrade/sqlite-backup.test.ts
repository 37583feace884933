import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import { createFolder, runSvc } from '../bin/run-svc.ts';
import { chain } from '../cluster/chain.ts';
import { ClusterClient } from '../cluster/client.ts';
import { Cluster } from '../cluster/cluster.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sqlitePath } from '../support/stores.ts';
import { assertEndsWell, forgotten, together } from './support/checked.ts';
import { startRecordedLoad } from './support/recorded-load.ts';

/* An SQLite database is copied while the service writes, and is then restored. */

const LOAD = { workflowId: 'chain', callers: 3, workers: 2, restMs: 20 };
const folder = createFolder();
test.after.always(() => folder.remove());

test('a backup made under load, put back after a kill, continues where it was', async (t) => {
  t.timeout(240_000);
  const scene = await openScene(t);
  const before = await scene.serve('before', 60);
  const backup = join(folder.path, 'backup.db');
  const made = await db(['backup', backup], scene.path);
  t.is(made.code, 0, made.stderr);
  t.like(JSON.parse(made.stdout), { database: scene.path, backup });
  t.is((await db(['backup', backup], scene.path)).code, 1);

  const served = await db(['restore', backup], scene.path);
  t.is(served.code, 1);
  t.regex(served.stderr, /is being served by another process: stop it/);
  await before.moreCompleted(60);
  const highest = highestFence(before.load.history);
  await before.kill();

  const restored = await db(['restore', backup], scene.path);
  t.is(restored.code, 0, restored.stderr);
  const { kept_as: kept } = JSON.parse(restored.stdout) as { readonly kept_as: string };
  t.true(existsSync(kept));
  const after = await scene.serve('after', 30);
  t.true(lowestFence(after.load.history) > highest);
  await after.finish(forgotten(before.load.history));
});

test('a plain copy of a database and its log, taken after a kill, is whole', async (t) => {
  t.timeout(240_000);
  const scene = await openScene(t);
  const before = await scene.serve('before', 100);
  await before.kill();
  const copy = join(folder.path, 'copy.db');
  copyFileSync(scene.path, copy);
  t.true(existsSync(`${scene.path}-wal`));
  copyFileSync(`${scene.path}-wal`, `${copy}-wal`);

  const other = await openScene(t);
  const restored = await db(['restore', copy], other.path);
  t.is(restored.code, 0, restored.stderr);
  const after = await other.serve('after', 30);
  // No acknowledged change is missing, so all earlier answers still hold.
  await after.finish(before.load.history.deeds);
});

test('a file that is no backup is refused, and nothing is changed', async (t) => {
  const { path } = await openScene(t);
  const missing = await db(['restore', join(folder.path, 'nowhere.db')], path);
  t.is(missing.code, 1);
  t.regex(missing.stderr, /there is no backup ".*nowhere\.db"/);
  const foreign = await db(['restore', new URL(import.meta.url).pathname], path);
  t.is(foreign.code, 1);
  t.regex(foreign.stderr, /is not an SQLite database/);
  t.true(existsSync(path));
  t.is((await db(['status'], path)).code, 0);
});

test('2: PostgreSQL has its own tools', async (t) => {
  const url = 'postgres://nobody@127.0.0.1:1/none';
  const { code, stderr } = await runSvc(['db', 'backup', 'x.db', '--database-url', url], {
    cwd: folder.path,
  });
  t.is(code, 2);
  t.regex(stderr, /pg_basebackup or pg_dump/);
});

async function openScene(t: ExecutionContext) {
  const database = await createTestDatabase('sqlite');
  const cluster = new Cluster(database.url);
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  const { apiKey } = cluster;
  return {
    path: sqlitePath(database.url),
    /** Resolves when that many items are completed. */
    serve: async (name: string, least: number) => {
      const api = await cluster.startApi({ entry: 'svc' });
      await new ClusterClient({ urls: [api.url], apiKey }).register(chain);
      const load = startRecordedLoad({ ...LOAD, pick: () => api.url, apiKey, name });
      const moreCompleted = async (more: number) => {
        const enough = load.completed + more;
        await eventually(() => {
          if (load.completed < enough) throw new Error(`${load.completed} are completed`);
        });
      };
      await moreCompleted(least);
      return {
        load,
        moreCompleted,
        kill: async () => {
          await api.end('SIGKILL');
          await load.stop();
        },
        finish: async (earlier: Deeds['deeds']) => {
          await load.endStarts();
          const history = together(earlier, load.history);
          await assertEndsWell(t, { url: database.url, history, least: 10 });
          await load.stop();
          t.deepEqual(load.failures, []);
        },
      };
    },
  };
}

function db(args: readonly string[], path: string) {
  const named = ['db', ...args, '--database-url', path, '-o', 'json'];
  return runSvc(named, { cwd: dirname(path) });
}

type Deeds = ReturnType<typeof startRecordedLoad>['history'];

function fencesOf({ deeds }: Deeds): readonly number[] {
  return deeds.flatMap(({ asks }) => (asks.do === 'complete' ? [asks.fence ?? 0] : []));
}

function highestFence(history: Deeds): number {
  return Math.max(...fencesOf(history));
}

function lowestFence(history: Deeds): number {
  return Math.min(...fencesOf(history));
}
