import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';

import { fastFolder } from './fast-folder.ts';

const PLENTY = 64 * 1024 ** 3;

test('a folder is made where there is room and programs run', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-fast-'));
  t.teardown(() => rmSync(parent, { recursive: true }));
  const folder = fastFolder({ parent, freeMemory: PLENTY });
  if (folder === null) throw new Error('there is no folder');
  t.is(dirname(folder), parent);
  t.deepEqual(readdirSync(folder), []);
});

test('there is none where memory is short, or the parent does not exist', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-fast-'));
  t.teardown(() => rmSync(parent, { recursive: true }));
  t.is(fastFolder({ parent, freeMemory: 1024 ** 3 }), null);
  t.deepEqual(readdirSync(parent), []);
  t.is(fastFolder({ parent: join(parent, 'missing'), freeMemory: PLENTY }), null);
});

test('a parent that runs no programs is left as it was', (t) => {
  const parent = '/proc';
  t.true(existsSync(parent));
  t.is(fastFolder({ parent, freeMemory: PLENTY }), null);
});
