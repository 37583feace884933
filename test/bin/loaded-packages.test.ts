import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { createFolder, runSvc, startSvc } from './run-svc.ts';

/*
 * Every package costs time at each start, and memory permanently. Packages that few processes need
 * therefore load at their first use.
 */

const TELL = fileURLToPath(new URL('./tell-loaded-packages.ts', import.meta.url));
const TELL_FILES = fileURLToPath(new URL('./tell-loaded-files.ts', import.meta.url));
const folder = createFolder();
test.after.always(() => folder.remove());

/** Each package with its purpose. */
const NOT_AT_START = {
  '@a2a-js/sdk': 'agents',
  '@ai-sdk/provider': 'models',
  '@modelcontextprotocol/client': 'tools',
  '@modelcontextprotocol/server': 'the API as tools',
  '@opentelemetry/api': 'metrics and traces',
  '@opentelemetry/exporter-trace-otlp-proto': 'a collector of traces',
  '@opentelemetry/sdk-trace': 'a collector of traces',
  ajv: 'schemas of users',
  'cli-table3': 'tables on a terminal',
  formidable: 'large bodies of requests',
  jose: 'JSON Web Tokens',
  'koa-body': 'large bodies of requests',
  pg: 'PostgreSQL',
  'pino-pretty': 'logs on a terminal',
  piscina: 'worker threads',
  'prom-client': 'metrics',
  slonik: 'PostgreSQL',
  'telemetry/tracing': 'a collector of traces',
  undici: 'requests to others',
  yaml: 'files of workflows',
};

const TRACING = [
  'telemetry/tracing',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

test('svc version loads no package, and svc --help the reader of its command line', async (t) => {
  const version = follow('version');
  t.is((await runSvc(['version'], { cwd: folder.path, env: version.env })).code, 0);
  t.deepEqual(version.names(), []);
  const help = follow('help');
  t.is((await runSvc(['--help'], { cwd: folder.path, env: help.env })).code, 0);
  t.deepEqual(help.names(), ['commander']);
});

test.serial('svc dev is ready without what its first request may not need', async (t) => {
  const loaded = follow('dev');
  const args = ['dev', '--port', '0'];
  const dev = startSvc(args, { cwd: folder.path, env: loaded.env });
  await dev.waitFor(/is running at/);
  const names = loaded.names();
  t.true(
    ['koa', 'better-sqlite3', 'zod'].every((name) => names.includes(name)),
    names.join(),
  );
  t.deepEqual(
    names.filter((name) => name in NOT_AT_START),
    [],
  );
  await dev.stop();
});

/*
 * The numbers of files that a start from the sources may load. The package is bundled and loads far
 * fewer, see test/deploy/package.test.ts.
 */
const VERSION_FILES_MAX = 6;
const DEV_FILES_MAX = 1_340;

test.serial('svc version and svc dev load no more files than they do today', async (t) => {
  const version = followFiles('version');
  await runSvc(['version'], { cwd: folder.path, env: version.env });
  t.true(version.count() > 0 && version.count() <= VERSION_FILES_MAX, `${version.count()} files`);
  const ready = followFiles('dev');
  const dev = startSvc(['dev', '--port', '0'], { cwd: folder.path, env: ready.env });
  await dev.waitFor(/is running at/);
  const files = ready.count();
  // Stopped before anything is judged: the next test serves the same folder.
  await dev.stop();
  t.true(files > 0 && files <= DEV_FILES_MAX, `${files} files`);
  t.log(`${version.count()} and ${files} files`);
});

test.serial('traces are loaded where there is a collector, and nowhere else', async (t) => {
  for (const endpoint of [null, 'http://127.0.0.1:1']) {
    const loaded = follow(`serve-${endpoint === null ? 'without' : 'with'}`);
    const env = endpoint === null ? {} : { SVC_TELEMETRY_OTLP_ENDPOINT: endpoint };
    const dev = startSvc(['dev', '--port', '0'], {
      cwd: folder.path,
      env: { ...loaded.env, ...env },
    });
    await dev.waitFor(/is running at/);
    const names = loaded.names();
    for (const name of TRACING) t.is(names.includes(name), endpoint !== null, name);
    await dev.stop();
  }
});

function followFiles(name: string) {
  const file = join(folder.path, `${name}-files.txt`);
  return {
    env: { NODE_OPTIONS: `--import=${TELL_FILES}`, LOADED_FILES: file },
    count: () => readFileSync(file, 'utf8').trim().split('\n').length,
  };
}

function follow(name: string) {
  const file = join(folder.path, `${name}.txt`);
  return {
    env: { NODE_OPTIONS: `--import=${TELL}`, LOADED_PACKAGES: file },
    names: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').toSorted() : []),
  };
}
