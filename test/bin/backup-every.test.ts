import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';
import Database from 'better-sqlite3';

import { createFolder, runSvc, startSvc } from './run-svc.ts';

const folder = createFolder();
const cwd = folder.path;
test.after.always(() => folder.remove());

interface Made {
  readonly backup: string;
  readonly bytes: number;
  readonly removed: readonly string[];
}

async function start(name: string) {
  const database = join(cwd, `${name}.db`);
  const { code, stderr } = await runSvc(['db', 'migrate', '--database-url', database], { cwd });
  if (code !== 0) throw new Error(stderr);
  const backups = join(cwd, name);
  mkdirSync(backups);
  // A run that was killed has left it.
  writeFileSync(join(backups, `${name}-20200101T000000Z.db.partial`), '');
  const args = ['db', 'backup', backups, '--every', '1s', '--keep', '2', '-o', 'json'];
  const svc = startSvc([...args, '--database-url', database], { cwd });
  return {
    svc,
    database,
    backups,
    /** Resolves with so many backups, in their order. */
    made: async (count: number): Promise<readonly Made[]> => {
      await svc.waitFor(new RegExp(`(?:^\\{.*\\}\\n[^]*){${count}}`, 'm'));
      const lines = svc.output().split('\n');
      return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Made] : []));
    },
  };
}

test('0: backups follow each other, the oldest leave, and a signal ends the command', async (t) => {
  const { svc, database, backups, made } = await start('busy');
  await made(1);
  const foreign = ['busy-20200101T000000Z.txt', 'other-20200101T000000Z.db', 'busy-monday.db'];
  for (const name of foreign) writeFileSync(join(backups, name), '');
  const writer = new Database(database);
  t.teardown(() => writer.close());
  writer.exec('create table seen (at integer)');
  writer.exec('insert into seen values (1)');
  const all = await made(4);
  const ended = await svc.stop('SIGTERM');
  t.is(ended.code, 0, svc.output());
  const kept = readdirSync(backups).filter((name) => !foreign.includes(name));
  t.is(kept.length, 2, kept.join());
  for (const name of foreign) t.true(readdirSync(backups).includes(name));
  for (const { backup } of all) t.regex(backup, /\/busy-\d{8}T\d{6}Z\.db$/);
  t.deepEqual(all[2]?.removed, [all[0]?.backup.split('/').at(-1)]);

  const copy = new Database(join(backups, kept.toSorted()[1] ?? ''), { readonly: true });
  t.teardown(() => copy.close());
  t.deepEqual(copy.prepare('select at from seen').all(), [{ at: 1 }]);
  t.is(copy.pragma('quick_check', { simple: true }), 'ok');
});

test('0: a failed backup is a note, and the next one is made when it can be', async (t) => {
  const { svc, backups, made } = await start('hindered');
  const before = (await made(1)).length;
  // A file replaces the folder, as if its disk were not mounted.
  renameSync(backups, `${backups}-away`);
  writeFileSync(backups, '');
  await svc.waitFor(/no backup: /);
  rmSync(backups);
  mkdirSync(backups);
  t.true((await made(before + 2)).length > before);
  t.is((await svc.stop('SIGTERM')).code, 0);
});

test('1: a first backup that fails ends the command', async (t) => {
  const args = ['db', 'backup', 'nowhere', '--every', '1s', '--database-url', 'none.db'];
  const { code, stderr } = await runSvc(args, { cwd });
  t.is(code, 1);
  t.regex(stderr, /none\.db/);
});

test('2: a number of backups goes with an interval', async (t) => {
  const args = ['db', 'backup', 'x.db', '--keep', '2', '--database-url', 'none.db'];
  const { code, stderr } = await runSvc(args, { cwd });
  t.is(code, 2);
  t.regex(stderr, /--keep goes with --every/);
});
