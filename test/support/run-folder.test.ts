import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

import { fillOnce, RUN_FOLDER } from './run-folder.ts';

const run = mkdtempSync(join(tmpdir(), 'svc-test-run-folder-'));
test.before(() => void (process.env[RUN_FOLDER] = run));
test.after.always(() => rmSync(run, { recursive: true }));

const ONCE = { withinMs: 10_000 };

test('many who need a folder get one, which is filled once', async (t) => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let fills = 0;
  const fill = async (folder: string) => {
    fills += 1;
    begun.resolve();
    await goOn.promise;
    writeFileSync(join(folder, 'file'), 'whole');
  };
  const asked = Array.from({ length: 5 }, () => fillOnce({ name: 'shared', fill, ...ONCE }));
  await begun.promise;
  goOn.resolve();
  const folders = await Promise.all(asked);
  t.is(fills, 1);
  t.deepEqual([...new Set(folders)], [join(run, 'shared')]);
  t.is(readFileSync(join(run, 'shared/file'), 'utf8'), 'whole');
});

test('all of them fail when it cannot be filled', async (t) => {
  const fill = () => Promise.reject(new Error('the disk is full'));
  const asked = Array.from({ length: 3 }, () => fillOnce({ name: 'broken', fill, ...ONCE }));
  const outcomes = await Promise.allSettled(asked);
  for (const outcome of outcomes) {
    t.regex(String((outcome as PromiseRejectedResult).reason), /the disk is full/);
  }
});

test('nobody waits for ever for a folder that is never filled', async (t) => {
  const never = new Promise<void>(() => undefined);
  void fillOnce({ name: 'slow', fill: () => never, ...ONCE });
  const second = fillOnce({ name: 'slow', fill: () => never, withinMs: 50 });
  await t.throwsAsync(second, { code: 'ENOENT' });
});
