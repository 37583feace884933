import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import test from 'ava';

import { adviseOnNode } from '../../../sdk/create/src/advise-on-node.ts';
import { createProject } from '../../../sdk/create/src/create-project.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/servers/ports.ts';
import { packRuntime } from '../../deploy/pack-runtime.ts';

/*
 * The steps of a new user. The test takes the three packages of a clean copy of the tree, creates
 * a project with one of them in an empty folder, and runs its scripts. Dependencies come from npm's
 * cache, or the registry.
 */

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const { version: VERSION } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const NPM_MS_MAX = 180_000;
/** The two packages beside the runtime, and the options of their compiler. */
const PACKED_WITH = ['sdk/typescript', 'sdk/create', 'tsconfig.json', 'package.json', '.npmrc'];
const LEFT_OUT = /(^|\/)(node_modules|dist)(\/|$)/;
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'svc-test-create-'));
const packages = join(folder, 'packages');
const app = join(folder, 'app');

test.before(async (t) => {
  t.timeout(NPM_MS_MAX);
  mkdirSync(packages);
  const source = join(folder, 'source');
  for (const entry of PACKED_WITH) {
    cpSync(join(REPOSITORY, entry), join(source, entry), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path.slice(REPOSITORY.length)),
    });
  }
  for (const modules of ['node_modules', 'sdk/typescript/node_modules']) {
    symlinkSync(join(REPOSITORY, modules), join(source, modules));
  }
  const { tarball } = await packRuntime();
  cpSync(tarball, join(packages, basename(tarball)));
  for (const at of ['sdk/typescript', 'sdk/create']) {
    await npm(['pack', '--silent', '--pack-destination', packages], join(source, at));
  }
});
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

test.serial('a project is created, installed and tested, from the packages alone', async (t) => {
  t.timeout(NPM_MS_MAX);
  const begun = performance.now();
  const tarball = (name: string) => join(packages, `${name}-${VERSION}.tgz`);
  const create = ['exec', '--yes', '--package', tarball('create-svc'), '--', 'create-svc', app];
  // Beside the folder of the project, as somebody types it.
  const besides = `./packages/svc-sdk-${VERSION}.tgz`;
  const from = ['--runtime', tarball('svc-runtime'), '--sdk', besides];
  const { stdout } = await npm([...create, ...from], folder);
  t.regex(stdout, /npm run dev/);
  t.true(existsSync(join(app, '.gitignore')));
  t.log(`created and installed in ${seconds(begun)} s`);
  await npm(['run', 'types'], app);
  const tested = await npm(['test'], app);
  t.regex(tested.stdout, /pass 3\b/);
});

test.serial(
  'npm run dev runs svc and the worker, which restarts when its code changes',
  async (t) => {
    t.timeout(NPM_MS_MAX);
    const begun = performance.now();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { ...process.env, SVC_PORT: String(port), SVC_URL: url };
    const dev = spawn('npm', ['run', 'dev'], {
      cwd: app,
      env: { ...env, SVC_TELEMETRY_METRICS_PORT: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [dev.stdout, dev.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const ended = once(dev, 'exit');
    const stop = (signal: NodeJS.Signals) => process.kill(-(dev.pid ?? 0), signal);
    t.teardown(() => dev.exitCode ?? stop('SIGKILL'));
    const printed = (pattern: RegExp) =>
      eventually(
        () => {
          if (!pattern.test(output)) throw new Error(output);
        },
        { withinMs: 60_000 },
      );
    await printed(/the worker claims/);
    const { stdout } = await npm(['run', '--silent', 'order'], app, env);
    t.regex(stdout, /charged: 25/);
    t.log(`svc, worker and the first execution in ${seconds(begun)} s`);

    const code = join(app, 'src/order.ts');
    const text = readFileSync(code, 'utf8');
    for (const [number, save] of [saveByRename, saveByRename, writeFile].entries()) {
      output = '';
      await save(code, text.replace('charged: payment.charged', `charged: ${number}`));
      await printed(/the worker claims/);
      const again = await npm(['run', '--silent', 'order'], app, env);
      t.regex(again.stdout, new RegExp(`charged: ${number} `));
    }
    stop('SIGTERM');
    await ended;
  },
);

test('a folder in use is left alone, and an own name is made of the folder', async (t) => {
  const used = join(folder, 'used');
  mkdirSync(used);
  await writeFile(join(used, 'notes.txt'), 'mine');
  const specs = { runtime: '^0.4.0', sdk: '^0.4.0' };
  await t.throwsAsync(createProject({ folder: used, ...specs }), { message: /is not empty/ });
  const named = join(folder, 'My First App!');
  await createProject({ folder: named, ...specs });
  const made = JSON.parse(readFileSync(join(named, 'package.json'), 'utf8')) as object;
  t.like(made, { name: 'my-first-app', dependencies: { 'svc-runtime': specs.runtime } });
});

test('a Node that cannot run TypeScript is named', (t) => {
  t.regex(adviseOnNode('20.20.2') ?? '', /^the project runs .* this is Node 20\.20\.2\./);
  t.regex(adviseOnNode('22.17.1') ?? '', /Node 22\.17\.1/);
  for (const version of ['22.18.0', '24.0.0']) t.is(adviseOnNode(version), null);
});

/** Many editors save so: the file of that name is then another one. */
async function saveByRename(path: string, text: string): Promise<void> {
  await writeFile(`${path}~`, text);
  await rename(`${path}~`, path);
}

function npm(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly stdout: string }> {
  return run('npm', ['--prefer-offline', ...args], { cwd, env, maxBuffer: 10_000_000 });
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
