import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { createEmptyDatabase } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';
import { waitUntilReady, type Started } from '../support/processes.ts';
import { buildImageRoot, DOCKERFILE, sentToTheBuild, type ImageRoot } from './image-root.ts';
import { renderedManifests, workloadsOf, type Container } from './manifests.ts';

/*
 * One build for all tests, which use it in order: npm fetches the dependencies twice, which takes
 * half a minute.
 */

const BUILD_MS_MAX = 600_000;
const repository = new URL('../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8')) as {
  readonly version: string;
};

let image: ImageRoot;
const started: Started[] = [];
test.before(async (t) => {
  t.timeout(BUILD_MS_MAX);
  image = await buildImageRoot();
});
test.after.always(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  image?.remove();
});

test.serial(
  'every entry point is a command of the image, run by the Node of the lock file',
  async (t) => {
    t.is(await image.run(['svc', 'version']), `${version}\n`);
    for (const program of ['svc-api', 'svc-scheduler']) {
      t.is(await image.run([program, '--version']), `${version}\n`);
    }
    t.regex(await image.run(['node', '--version']), /^v24\./);
  },
);

test.serial('its user may write nowhere but to the state folder', async (t) => {
  const where = await image.run(['find', image.path, '-not', '-type', 'l', '-writable']);
  t.deepEqual(where.trim().split('\n'), [join(image.path, 'var/lib/svc')]);
});

test.serial('it holds production dependencies and compiled code alone', (t) => {
  const program = join(image.path, 'opt/svc');
  t.deepEqual(readdirSync(program).toSorted(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'node_modules',
    'package-lock.json',
    'package.json',
  ]);
  const { packages } = JSON.parse(readFileSync(join(program, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const development = Object.keys(packages).filter((path) => packages[path]?.dev === true);
  t.true(development.includes('node_modules/typescript'));
  t.deepEqual(
    development.filter((path) => existsSync(join(program, path))),
    [],
  );
});

test.serial(
  'on PostgreSQL: migrated, then served by two processes that write no file',
  async (t) => {
    const database = await createEmptyDatabase('postgres');
    t.teardown(() => database.drop());
    const [port, apiOps, schedulerOps] = [await freePort(), await freePort(), await freePort()];
    const key = 'an-operator-of-this-test';
    // Binds other ports, on loopback alone; everything else is as in the chart.
    const own = { SVC_DATABASE_URL: database.url, SVC_AUTH_API_KEY: key, SVC_BIND: '127.0.0.1' };
    const migrate = containerOf('migrate');
    t.regex(await image.run(migrate.command, own), /is now at version \d+\n$/);

    const api = await start(containerOf('api').command, {
      ...variablesOf(containerOf('api')),
      ...own,
      SVC_PORT: String(port),
      SVC_TELEMETRY_METRICS_PORT: String(apiOps),
    });
    const scheduler = await start(containerOf('scheduler').command, {
      ...variablesOf(containerOf('scheduler')),
      ...own,
      SVC_TELEMETRY_METRICS_PORT: String(schedulerOps),
    });
    for (const [process, name, ops] of [
      [api, 'api', apiOps],
      [scheduler, 'scheduler', schedulerOps],
    ] as const) {
      const { startupProbe, livenessProbe, readinessProbe } = containerOf(name);
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        const url = `http://127.0.0.1:${ops}${probe?.httpGet.path}`;
        await waitUntilReady(process, () => get(url));
      }
    }

    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = (path: string, body: object) =>
      get(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
    await post('/workflows', {
      ir: { workflow_id: 'w', nodes: { only: { kind: { type: 'pass' } } }, edges: [] },
    });
    const execution = (await post('/executions', { workflow_id: 'w', input: {} })) as {
      readonly execution_id: string;
    };
    await waitUntilReady(scheduler, async () => {
      const url = `http://127.0.0.1:${port}/executions/${execution.execution_id}`;
      const { status } = (await get(url, { headers })) as { readonly status: string };
      if (status !== 'completed') throw new Error(`the execution is ${status}`);
    });
    t.deepEqual(await Promise.all([api.end('SIGTERM'), scheduler.end('SIGTERM')]), [0, 0]);
    t.deepEqual(readdirSync(join(image.path, 'var/lib/svc')), []);
  },
);

test.serial('svc dev keeps its database in the state folder', async (t) => {
  const port = await freePort();
  const dev = await start(['svc', 'dev', '--port', String(port)], {
    SVC_BIND: '127.0.0.1',
    SVC_TELEMETRY_METRICS_PORT: 'off',
  });
  await waitUntilReady(dev, () => get(`http://127.0.0.1:${port}/health`));
  t.true(existsSync(join(image.path, 'var/lib/svc/.svc/dev.db')));
  t.is(await dev.end('SIGTERM'), 0);
});

test.serial(
  'a bound address inside a container is open to others, and never without tokens',
  async (t) => {
    const dev = await start(['svc', 'dev'], {});
    t.is(await dev.exited, 2);
    t.regex(dev.stderr(), /runtime\.bind: 0\.0\.0\.0 can be reached by others/);
  },
);

test('the image runs as a user given by number, from base images of one version', (t) => {
  const stages = [...DOCKERFILE.matchAll(/^FROM (.+?)(?: AS \w+)?$/gm)].map(([, image]) => image);
  t.deepEqual(stages, ['${BUILD_IMAGE}', '${BASE_IMAGE}']);
  for (const [, image = ''] of DOCKERFILE.matchAll(/^ARG \w+=(.+)$/gm)) {
    t.regex(image, /^[a-z]+:\d+\.\d+(\.\d+)?-/, image);
  }
  t.is(DOCKERFILE.match(/^USER .*$/gm)?.at(-1), 'USER 65532:65532');
});

test('a build is sent no secret and no history', (t) => {
  for (const entry of sentToTheBuild()) {
    t.true(existsSync(new URL(entry, repository)), entry);
    t.notRegex(entry, /\.git|\.env|\.svc|\.pem|\.key/);
  }
});

/** The chart's container, without any values. */
function containerOf(name: 'api' | 'scheduler' | 'migrate'): Container {
  const all = workloadsOf(renderedManifests('defaults')).map(({ container }) => container);
  const found = all.find((container) => container.name === name);
  if (found === undefined) throw new Error(`the chart has no container ${name}`);
  return found;
}

/** The variables without those from a secret. */
function variablesOf({ env }: Container): Record<string, string> {
  return Object.fromEntries(
    env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

async function start(command: readonly string[], env: Readonly<Record<string, string>>) {
  const one = await image.start(command, env);
  started.push(one);
  return one;
}

async function get(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
