import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import test from 'ava';

import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { packRuntime } from './pack-runtime.ts';

/*
 * The package as users install it, in an empty folder. Dependencies come from npm's cache, or the
 * registry.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const { version: VERSION } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  readonly version: string;
};
/** The console takes a third. */
const BYTES_MAX = 10_250_000;
const NPM_MS_MAX = 110_000;
const run = promisify(execFile);

interface SourceMap {
  readonly sources: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'svc-test-package-'));
const user = join(folder, 'user');
const INSTALLED = join(user, 'node_modules/svc-runtime');
const TELL_FILES = join(REPOSITORY, 'test/bin/tell-loaded-files.ts');

test.after.always(() => rmSync(folder, { recursive: true, force: true }));

test.serial('the package builds itself, holds what runs, and is small', async (t) => {
  t.timeout(NPM_MS_MAX);
  const { unpackedSize, files } = await packRuntime();
  t.true(unpackedSize <= BYTES_MAX, `${unpackedSize} bytes`);
  t.log(`${unpackedSize} bytes in ${files.length} files`);
  const paths = new Set(files.map(({ path }) => path));
  for (const path of [
    'bin/svc.js',
    'dist/bundle/svc.js',
    'dist/bundle/LICENSES.txt',
    'dist/console/index.html',
    'dist/console/LICENSES.txt',
    'dist/openapi.json',
    'docs/reference/ir.md',
  ]) {
    t.true(paths.has(path), path);
  }
  t.false(paths.has('docs/openapi.json'), 'it is in the package without its white space');
  t.deepEqual(
    [...paths].filter((path) => path.startsWith('docs/images/')),
    [],
  );
  for (const build of ['bundle', 'console']) {
    const stamp = `dist/${build}/built-from.txt`;
    t.false(paths.has(stamp), 'only a clone compares it with its sources');
  }
  t.deepEqual(
    [...paths].filter((path) => /(^|\/)(test|bench|node_modules)\//.test(path)),
    [],
  );
});

test.serial('installed in an empty folder, it tells its version and runs', async (t) => {
  t.timeout(NPM_MS_MAX);
  const { tarball } = await packRuntime();
  mkdirSync(user);
  await npm(['install', '--prefer-offline', tarball], user);
  const { stdout } = await run('npx', ['--no-install', 'svc', 'version'], { cwd: user });
  t.true(stdout.includes(VERSION), stdout);
  const show = `import api from 'svc-runtime/openapi.json' with { type: 'json' };
    console.log(api.info.version);`;
  const api = await run(process.execPath, ['--input-type=module', '-e', show], { cwd: user });
  t.is(api.stdout.trim(), VERSION);
  const port = await freePort();
  const args = ['--no-install', 'svc', 'dev', '--port', String(port)];
  const dev = spawn('npx', args, {
    cwd: user,
    env: { ...process.env, SVC_TELEMETRY_METRICS_PORT: 'off' },
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(dev, 'exit');
  t.teardown(() => dev.exitCode ?? process.kill(-(dev.pid ?? 0), 'SIGKILL'));
  await eventually(
    async () => {
      const health = await fetch(`http://127.0.0.1:${port}/health`);
      t.like(await health.json(), { version: VERSION });
    },
    { withinMs: 60_000 },
  );
  const root = `http://127.0.0.1:${port}/console/`;
  const page = await (await fetch(`${root}executions`)).text();
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
  const code = await fetch(new URL(script, root));
  t.is(code.status, 200);
  t.is(code.headers.get('content-encoding'), 'gzip');
  t.true((await code.arrayBuffer()).byteLength > 100_000);
  process.kill(-(dev.pid ?? 0), 'SIGTERM');
  await ended;
});

test.serial('no source is in two files of the bundle', (t) => {
  const bundle = join(INSTALLED, 'dist/bundle');
  const places = globSync('**/*.map', { cwd: bundle }).flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(bundle, file), 'utf8')) as SourceMap;
    return sources.map((source) => ({ file, path: resolve(bundle, dirname(file), source) }));
  });
  const files = Map.groupBy(places, ({ path }) => path);
  t.true(files.size > 700, `${files.size} sources`);
  t.deepEqual(
    [...files.values()].filter(({ length }) => length > 1),
    [],
  );
});

test.serial('the licence of each package whose code is in the bundle is beside it', (t) => {
  const text = readFileSync(join(INSTALLED, 'dist/bundle/LICENSES.txt'), 'utf8');
  for (const name of ['commander', 'koa', 'pino', 'zod']) {
    t.regex(text, new RegExp(`^${name} [\\d.]+, MIT, https://[^]*?Permission is hereby`, 'm'));
  }
});

/** A start loads few files; a source that was left out of the bundle would bring hundreds. */
const VERSION_FILES_MAX = 6;
const DEV_FILES_MAX = 45;

test.serial('svc version and svc dev load few files', async (t) => {
  t.timeout(NPM_MS_MAX);
  const svc = join(INSTALLED, 'bin/svc.js');
  const version = followFiles('version');
  await run(process.execPath, [svc, 'version'], { cwd: user, env: version.env });
  t.true(version.count() > 0 && version.count() <= VERSION_FILES_MAX, `${version.count()} files`);
  const ready = followFiles('dev');
  const dev = spawn(process.execPath, [svc, 'dev', '--port', '0'], {
    cwd: user,
    env: ready.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(dev, 'exit');
  t.teardown(() => dev.kill('SIGKILL'));
  for await (const line of createInterface(dev.stderr)) if (/is running at/.test(line)) break;
  t.true(ready.count() > 0 && ready.count() <= DEV_FILES_MAX, `${ready.count()} files`);
  t.log(`${version.count()} and ${ready.count()} files`);
  dev.kill('SIGTERM');
  await ended;
});

/** A command that calls a runtime loads 180 kB. With any chunk of the runtime it is far more. */
const CLIENT_BYTES_MAX = 300_000;

test.serial('commands that call a runtime load none of its code', async (t) => {
  const svc = join(INSTALLED, 'bin/svc.js');
  const port = await freePort();
  for (const name of ['workflow', 'schedule', 'queue', 'tenant']) {
    const loaded = followFiles(name);
    const args = [svc, name, 'list', '--url', `http://127.0.0.1:${port}`];
    const env = { ...loaded.env, SVC_TELEMETRY_METRICS_PORT: undefined };
    const error = await t.throwsAsync(run(process.execPath, args, { cwd: user, env }));
    t.regex(error.message, /connection refused/);
    const bundled = loaded.files().filter((file) => file.includes('/dist/bundle/'));
    const bytes = bundled.reduce((sum, file) => sum + statSync(fileURLToPath(file)).size, 0);
    t.true(bytes > 0 && bytes <= CLIENT_BYTES_MAX, `svc ${name} list: ${bytes} bytes`);
    t.log(`svc ${name} list: ${bytes} bytes`);
  }
});

const UNKNOWN_SETTING = `
import { openRuntime } from 'svc-runtime';
await openRuntime({ settings: { 'no.such_setting': 1 } });
`;

test.serial('a stack names the lines of the sources', async (t) => {
  const args = ['--enable-source-maps', '--input-type=module', '-e', UNKNOWN_SETTING];
  const error = await t.throwsAsync(run(process.execPath, args, { cwd: user }));
  t.regex(
    error.message,
    /at openRuntime \(.*svc-runtime\/src\/runtime\/open-runtime\.ts:\d+:\d+\)/,
  );
});

const CHECK = `
import { openTestRuntime } from 'svc-runtime/testing';

const runtime = await openTestRuntime();
await runtime.stop();
console.log('stopped');
`;

test.serial('a program opens a runtime for tests', async (t) => {
  const args = ['--input-type=module', '-e', CHECK];
  t.is((await run(process.execPath, args, { cwd: user })).stdout, 'stopped\n');
});

/** A program of a user. */
const THREADS = `
import { openRuntime } from 'svc-runtime';

const runtime = await openRuntime({
  database: './threads.db',
  settings: { 'auth.enabled': false, 'logging.level': 'warn' },
});
const post = (path, body) =>
  runtime.fetch('http://svc' + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const state_schema = { properties: { sku: { type: 'string', pattern: '^[A-Z]{3}$' } } };
const nodes = { only: { kind: { type: 'pass', output: {} } } };
await post('/workflows', { ir: { workflow_id: 'checked', state_schema, nodes } });
const start = (sku) => post('/executions', { workflow_id: 'checked', input: { sku } });
console.log((await start('ABC')).status, (await start('abc')).status);
await runtime.stop();
`;

test.serial('worker threads of the package find their tasks', async (t) => {
  const args = ['--input-type=module', '-e', THREADS];
  t.is((await run(process.execPath, args, { cwd: user })).stdout, '201 400\n');
});

/** A program of somebody else's. */
const PROGRAM = `
import { openRuntime, type Runtime } from 'svc-runtime';

const runtime: Runtime = await openRuntime({
  database: './mine.db',
  listen: { port: 0 },
  settings: { 'auth.enabled': false, 'logging.level': 'warn' },
});
const answer = await fetch(\`\${runtime.url}/health\`);
console.log(JSON.stringify(await answer.json()));
await runtime.stop();
`;

test.serial('a program opens a runtime by the types of the package', async (t) => {
  t.timeout(NPM_MS_MAX);
  writeFileSync(join(user, 'program.mts'), PROGRAM);
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  const typeRoots = join(REPOSITORY, 'node_modules/@types');
  const options =
    '--noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node'.split(' ');
  await run(process.execPath, [tsc, ...options, '--typeRoots', typeRoots, 'program.mts'], {
    cwd: user,
  });
  const { stdout } = await run(process.execPath, ['program.mts'], { cwd: user });
  t.like(JSON.parse(stdout), { version: VERSION });
});

function followFiles(name: string) {
  const file = join(folder, `${name}-files.txt`);
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${TELL_FILES}`,
    LOADED_FILES: file,
    SVC_TELEMETRY_METRICS_PORT: 'off',
  };
  const files = () => readFileSync(file, 'utf8').trim().split('\n');
  return { env, files, count: () => files().length };
}

function npm(args: readonly string[], cwd: string) {
  return run('npm', args, { cwd, timeout: NPM_MS_MAX, maxBuffer: 64 * 1024 * 1024 });
}
