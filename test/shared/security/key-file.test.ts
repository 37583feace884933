import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';

import { addKeyToFile, openKeyFile } from '../../../src/shared/security/key-file.ts';

const test = anyTest as TestFn<{ folder: string }>;

test.beforeEach((t) => {
  t.context.folder = mkdtempSync(join(tmpdir(), 'svc-test-keys-'));
});

test.afterEach.always((t) => rmSync(t.context.folder, { recursive: true }));

test('the first key is made when one is needed, for its owner alone', (t) => {
  const path = join(t.context.folder, '.svc', 'encryption.key');
  const keys = openKeyFile({ path, randomBytes });
  t.deepEqual(keys.all(), []);
  const made = keys.newest();
  t.is(made?.length, 32);
  t.is(statSync(path).mode & 0o777, 0o600);
  t.deepEqual(openKeyFile({ path, randomBytes }).newest(), made);
  t.deepEqual(readdirSync(join(t.context.folder, '.svc')), ['encryption.key']);
});

test('a key that is added seals from then on, and the others still open', (t) => {
  const path = join(t.context.folder, 'encryption.key');
  const keys = openKeyFile({ path, randomBytes });
  const first = keys.newest();
  addKeyToFile({ path, randomBytes });
  t.is(keys.all().length, 2);
  t.notDeepEqual(keys.newest(), first);
  t.deepEqual(keys.all()[1], first ?? undefined);
  t.is(statSync(path).mode & 0o777, 0o600);
});

test('a line that is no key is refused, and not shown', (t) => {
  const path = join(t.context.folder, 'encryption.key');
  writeFileSync(path, 'not a key\n');
  const error = t.throws(() => openKeyFile({ path, randomBytes }).newest());
  t.regex(error.message, /^line 1 of .*encryption\.key is no key/);
  t.is(readFileSync(path, 'utf8'), 'not a key\n');
});
