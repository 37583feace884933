import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
const cwd = folder.path;
writeFileSync(
  join(cwd, 'svc.toml'),
  '[runtime]\nport = 7800\n\n[auth]\napi_key = "do-not-print-me"\n',
);

test('shows every value with its origin, secrets masked', async (t) => {
  const { code, stdout } = await runSvc(['config', 'show', '--origin'], {
    cwd,
    env: { SVC_RUNTIME_WORKERS: '7', DATABASE_URL: 'postgres://me:secret@db/svc' },
  });
  t.is(code, 0);
  t.regex(stdout, /^runtime\.port +7800 +svc\.toml$/m);
  t.regex(stdout, /^runtime\.workers +7 +env SVC_RUNTIME_WORKERS$/m);
  t.regex(stdout, /^runtime\.bind +127\.0\.0\.1 +default$/m);
  t.regex(stdout, /^database\.url +postgres:\/\/me:\*\*\*@db\/svc +env DATABASE_URL$/m);
  t.regex(stdout, /^auth\.api_key +\*\*\* +svc\.toml$/m);
  t.notRegex(stdout, /do-not-print-me|secret@/);
});

test('-o json is one document', async (t) => {
  const { stdout } = await runSvc(['config', 'show', '-o', 'json', '--origin'], { cwd });
  const shown = JSON.parse(stdout) as Record<string, { value: string; origin: string }>;
  t.deepEqual(shown['runtime.port'], { value: '7800', origin: 'svc.toml' });
});

test('--dev shows the defaults of svc dev', async (t) => {
  const { stdout } = await runSvc(['config', 'show', '--dev', '-o', 'json'], { cwd });
  t.is((JSON.parse(stdout) as Record<string, string>)['database.url'], '.svc/dev.db');
});

test('2: a file with wrong values gets an error for each', async (t) => {
  writeFileSync(join(cwd, 'bad.toml'), '[runtime]\nport = "x"\nprt = 3\n');
  const { code, stdout, stderr } = await runSvc(['config', 'show', '--config', 'bad.toml'], {
    cwd,
  });
  t.is(code, 2);
  t.is(stdout, '');
  t.regex(stderr, /^error: bad\.toml: unknown key runtime\.prt, .*runtime\.port\?$/m);
  t.regex(stderr, /^error: bad\.toml: runtime\.port: found "x", expected an integer/m);
});

test('2: a missing file', async (t) => {
  const { code, stderr } = await runSvc(['serve', '--config', 'none.toml'], { cwd });
  t.is(code, 2);
  t.regex(stderr, /^error: none\.toml: cannot be read/);
});

test('2: a directory in place of the file', async (t) => {
  const { code, stderr } = await runSvc(['db', 'status', '--config', '.'], { cwd });
  t.is(code, 2);
  t.regex(stderr, /^error: \.: cannot be read/);
});

test('2: two names of the port with different values', async (t) => {
  const { code, stderr } = await runSvc(['config', 'show'], {
    cwd,
    env: { SVC_PORT: '7701', SVC_RUNTIME_PORT: '7702' },
  });
  t.is(code, 2);
  t.regex(stderr, /SVC_RUNTIME_PORT/);
  t.regex(stderr, /SVC_PORT/);
});
