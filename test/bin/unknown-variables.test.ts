import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { createFolder, runSvc, startSvc } from './run-svc.ts';

const folder = createFolder();
const cwd = folder.path;
test.after.always(() => folder.remove());

const ENV = { SVC_TELEMETRY_METRICS_PORT: 'off', SVC_PORT: '0', SVC_LOG_LEVLE: 'debug' };
const TOLD = 'SVC_LOG_LEVLE (did you mean SVC_LOG_LEVEL?)';

for (const command of ['dev', 'serve']) {
  test.serial(`svc ${command} logs one warning about a misspelt setting`, async (t) => {
    const running = startSvc([command], { cwd, env: ENV });
    await running.waitFor(/listening on/);
    await running.stop();
    const lines = running
      .output()
      .split('\n')
      .filter((line) => line.includes(TOLD));
    t.is(lines.length, 1);
    t.like(JSON.parse(lines[0] ?? ''), { level: 'warn', variables: ['SVC_LOG_LEVLE'] });
  });
}

for (const program of ['svc-api', 'svc-scheduler'] as const) {
  test(`${program} says it before it refuses to start for lack of that setting`, async (t) => {
    const env = { ...ENV, SVC_DATABSE_URL: 'postgres://db/svc' };
    const { code, stdout, stderr } = await runSvc([], { cwd, env, program });
    t.is(code, 2);
    t.true(stdout.includes('SVC_DATABSE_URL (did you mean SVC_DATABASE_URL?)'), stdout);
    t.regex(stderr, /needs PostgreSQL/);
  });
}

for (const args of [
  ['db', 'migrate'],
  ['validate', 'w.json'],
  ['config', 'show', '-o', 'json'],
]) {
  test(`svc ${args.join(' ')} says it once on stderr`, async (t) => {
    await writeFile(join(cwd, 'w.json'), '{"workflow_id": "w", "nodes": {"a": {"kind": "pass"}}}');
    const { code, stdout, stderr } = await runSvc(args, { cwd, env: ENV });
    t.is(code, 0);
    t.is(stderr.split('\n').filter((line) => line.startsWith('warning: ')).length, 1, stderr);
    t.true(stderr.includes(TOLD));
    t.false(stdout.includes('LEVLE'));
  });
}

test('a secret that svc.toml allows is no mistake', async (t) => {
  await writeFile(join(cwd, 'own.toml'), '[tools]\nsecrets = ["SVC_SHOP_*"]\n');
  const env = { SVC_SHOP_KEY: 'x' };
  const own = await runSvc(['config', 'show', '--config', 'own.toml'], { cwd, env });
  t.is(own.stderr, '');
  t.regex((await runSvc(['config', 'show'], { cwd, env })).stderr, /SVC_SHOP_KEY/);
});

test('a command without a configuration file names only what looks misspelt', async (t) => {
  const env = { SVC_SHOP_KEY: 'x' };
  const alone = await runSvc(['context', 'list', '-o', 'json'], { cwd, env });
  t.is(alone.stderr, '');
  const { stderr } = await runSvc(['context', 'list', '-o', 'json'], {
    cwd,
    env: { ...env, ...ENV },
  });
  t.true(stderr.includes(TOLD), stderr);
  t.false(stderr.includes('SVC_SHOP_KEY'), stderr);
});

test('the variables of clients, which completion sets, load no list of names', async (t) => {
  const loaded = async (own: Readonly<Record<string, string>>, name: string) => {
    const file = join(cwd, name);
    const env = { NODE_OPTIONS: `--import=${TELL_FILES}`, LOADED_FILES: file, ...own };
    await runSvc(['context', 'list', '-o', 'ids'], { cwd, env });
    return (await readFile(file, 'utf8')).includes('unknown-variables');
  };
  const own = { SVC_URL: 'http://127.0.0.1:1', SVC_TOKEN: 'x', SVC_CONTEXT: 'x' };
  t.false(await loaded({ ...own, SVC_REQUEST_TIMEOUT: '1s' }, 'own.txt'));
  t.true(await loaded({ SVC_REQUEST_TIMEOT: '1s' }, 'misspelt.txt'));
});

const TELL_FILES = fileURLToPath(new URL('./tell-loaded-files.ts', import.meta.url));
