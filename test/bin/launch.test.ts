import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import test from 'ava';

import { SERVER_OPTIONS } from '../../bin/launch/launch.js';
import { readStamp, STAMP_FILE } from '../../bin/launch/source-stamp.js';

/*
 * Every case launches `entry.ts` below. A `minimum` that no Node version reaches simulates an old
 * Node: the launcher then runs itself again on the packaged one.
 */

const LAUNCH = new URL('../../bin/launch/launch.js', import.meta.url).href;
const ENTRY = `
const [command = '', ...rest]: string[] = process.argv.slice(2);
if (command === 'exit') process.exit(Number(rest[0]));
else if (command === 'throw') throw new Error('broken entry');
else if (command === 'options') console.log(JSON.stringify({ options: process.execArgv, pid: process.pid }));
else if (command === 'environment') console.log(JSON.stringify({ rest, marks: Object.keys(process.env).filter((name) => name.startsWith('SVC_LAUNCHED')) }));
else if (command === 'serve') {
  process.once('SIGTERM', () => { console.log('drained'); process.exit(3); });
  console.log(process.pid);
  setInterval(() => {}, 60_000);
}
else if (command === 'default-signals') {
  console.log(process.pid);
  setInterval(() => {}, 60_000);
}
`;

const folder = mkdtempSync(join(tmpdir(), 'svc-test-launch-'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(join(folder, 'entry.ts'), ENTRY);
const direct = writeLauncher('direct', {});
const relaunching = writeLauncher('relaunching', { minimum: [999, 0] });
test.after.always(() => rmSync(folder, { recursive: true }));

for (const [how, launcher] of [
  ['on a Node that is new enough', direct],
  ['on an older Node', relaunching],
] as const) {
  test(`${how}: the exit code is passed through`, async (t) => {
    const launched = start(launcher, ['exit', '7']);
    t.deepEqual(await launched.ended, { code: 7, signal: null });
  });

  test(`${how}: an error in the entry module is shown and ends with 1`, async (t) => {
    const launched = start(launcher, ['throw']);
    t.deepEqual(await launched.ended, { code: 1, signal: null });
    t.regex(launched.stderr(), /broken entry/);
  });

  test(`${how}: arguments are passed, the mark is not, and a finished entry ends`, async (t) => {
    const launched = start(launcher, ['environment', '--flag', 'a b']);
    t.deepEqual(JSON.parse(await launched.firstLine), { rest: ['--flag', 'a b'], marks: [] });
    t.deepEqual(await launched.ended, { code: 0, signal: null });
  });

  test(`${how}: SIGTERM reaches the entry, which drains and chooses the exit code`, async (t) => {
    const launched = start(launcher, ['serve']);
    await launched.firstLine;
    launched.process.kill('SIGTERM');
    t.deepEqual(await launched.ended, { code: 3, signal: null });
    t.regex(launched.stdout(), /drained/);
  });

  test(`${how}: death by a signal is passed through`, async (t) => {
    const launched = start(launcher, ['default-signals']);
    await launched.firstLine;
    launched.process.kill('SIGTERM');
    t.deepEqual(await launched.ended, { code: null, signal: 'SIGTERM' });
  });

  test(`${how}: SIGKILL of the launcher ends the entry too, without a drain`, async (t) => {
    const launched = start(launcher, ['serve']);
    const pid = Number(await launched.firstLine);
    launched.process.kill('SIGKILL');
    t.deepEqual(await launched.ended, { code: null, signal: 'SIGKILL' });
    await waitUntilGone(pid);
    t.notRegex(launched.stdout(), /drained/);
  });
}

test('an older Node runs the entry in another process, a new one in its own', async (t) => {
  for (const [launcher, isSame] of [
    [direct, true],
    [relaunching, false],
  ] as const) {
    const launched = start(launcher, ['default-signals']);
    t.is(Number(await launched.firstLine) === launched.process.pid, isSame);
    launched.process.kill('SIGTERM');
    await launched.ended;
  }
});

for (const [how, target] of [
  ['on a Node that is new enough', {}],
  ['on an older Node', { minimum: [999, 0] }],
] as const) {
  test(`${how}: the entry gets the Node options that its launcher asks for`, async (t) => {
    const nodeOptions = ['--max-semi-space-size=3'];
    const file = writeLauncher(`with-options-${how.length}`, { ...target, nodeOptions });
    const launched = start(file, ['options']);
    const { options, pid } = JSON.parse(await launched.firstLine) as Record<string, unknown>;
    t.deepEqual(options, nodeOptions);
    t.is(pid === launched.process.pid, !('minimum' in target));
    t.deepEqual(await launched.ended, { code: 0, signal: null });
  });
}

test('an option that was given to Node already stays as it is', async (t) => {
  const file = writeLauncher('given-options', { nodeOptions: ['--max-semi-space-size=3'] });
  const launched = start(file, ['options'], { NODE_OPTIONS: '--max_semi_space_size=5' });
  t.deepEqual(JSON.parse(await launched.firstLine), { options: [], pid: launched.process.pid });
});

/** V8 refuses compiled code of another version tag, also that which Node brings of its own modules. */
test('the options of processes that serve leave compiled code valid', async (t) => {
  const tagOf = async (options: readonly string[]) => {
    const child = spawn(process.execPath, [...options, '-p', 'v8.cachedDataVersionTag()']);
    return text(child.stdout);
  };
  t.is(await tagOf(SERVER_OPTIONS), await tagOf([]));
  t.not(await tagOf(['--heap-growing-percent=75']), await tagOf([]));
});

test('compiled code is kept in the cache folder of the user', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-cache-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const launched = start(direct, ['environment'], { XDG_CACHE_HOME: folder });
  await launched.ended;
  t.is(readdirSync(join(folder, 'svc', 'compiled')).length, 1);
});

test('without a cache folder that can be written nothing is kept', async (t) => {
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  for (const place of [file, '/proc/no-such-folder']) {
    const launched = start(direct, ['exit', '7'], { XDG_CACHE_HOME: place });
    t.deepEqual(await launched.ended, { code: 7, signal: null });
    t.is(launched.stderr(), '');
  }
});

test('without any suitable Node there is one clear line and exit code 1', async (t) => {
  const launched = start(
    writeLauncher('none', { minimum: [999, 0], nodePackages: ['no-such-node'] }),
    ['exit', '0'],
  );
  t.deepEqual(await launched.ended, { code: 1, signal: null });
  t.regex(launched.stderr(), /^svc needs Node 999\.0 or newer, but this is .*\n$/);
});

test('without a built or a source module the line says how to build', async (t) => {
  const launched = start(writeLauncher('unbuilt', { source: 'missing.ts' }), []);
  t.deepEqual(await launched.ended, { code: 1, signal: null });
  t.is(launched.stderr(), 'svc is not built: run "npm run build"\n');
});

test('without a source module the built one is run', async (t) => {
  writeFileSync(join(folder, 'compiled.js'), 'process.exit(9);\n');
  const launched = start(
    writeLauncher('built', { source: 'missing.ts', built: 'compiled.js' }),
    [],
  );
  t.deepEqual(await launched.ended, { code: 9, signal: null });
});

test('stacks of a build name its sources', async (t) => {
  writeFileSync(
    join(folder, 'mapped.js'),
    'const fail = () => { throw new Error("broken") };fail();',
  );
  // Column 28, where the error is made, is line 7, column 3 of the source.
  const map = { version: 3, sources: ['src/mapped.ts'], names: [], mappings: '2BAME' };
  writeFileSync(join(folder, 'mapped.js.map'), JSON.stringify(map));
  const launched = start(
    writeLauncher('of-mapped', { source: 'missing.ts', built: 'mapped.js' }),
    [],
  );
  t.deepEqual(await launched.ended, { code: 1, signal: null });
  t.regex(launched.stderr(), /^Error: broken\n    at fail \(\S+\/src\/mapped\.ts:7:3\)$/m);
});

test('a clone runs its build while its sources are those of the build', async (t) => {
  const { launcher } = createClone('unchanged');
  t.is((await start(launcher, []).ended).code, BUILT);
});

test('a clone runs its sources when one changed and kept its size and mtime', async (t) => {
  const { launcher, source } = createClone('edited');
  const { atime, mtime, size } = statSync(source);
  writeFileSync(source, `process.exit(${EDITED});\n`);
  utimesSync(source, atime, mtime);
  t.deepEqual([statSync(source).size, statSync(source).mtime], [size, mtime]);
  t.is((await start(launcher, []).ended).code, EDITED);
});

test('a clone runs its sources when one was added or removed', async (t) => {
  const { launcher, root } = createClone('added');
  writeFileSync(join(root, 'src/added.ts'), '');
  t.is((await start(launcher, []).ended).code, SOURCE);
  rmSync(join(root, 'src/added.ts'));
  t.is((await start(launcher, []).ended).code, BUILT);
});

test('a clone runs its sources under the condition that asks for them', async (t) => {
  const { launcher } = createClone('condition');
  const env = { NODE_OPTIONS: '--conditions=svc-source' };
  t.is((await start(launcher, [], env).ended).code, SOURCE);
});

test('a clone runs its sources when its launcher asks for no build', async (t) => {
  const { root } = createClone('unasked');
  const places = { source: join(root, 'src/entry.ts'), built: join(root, 'dist/built.js') };
  t.is((await start(writeLauncher('unasked', places), []).ended).code, SOURCE);
});

const [SOURCE, BUILT, EDITED] = [11, 12, 13];

/** A clone that was built just now: its parts exit with different codes. */
function createClone(name: string) {
  const root = mkdtempSync(join(folder, `clone-${name}-`));
  for (const path of ['bin', 'deploy/package', 'migrations', 'src', 'dist']) {
    mkdirSync(join(root, path), { recursive: true });
  }
  const source = join(root, 'src/entry.ts');
  const built = join(root, 'dist/built.js');
  writeFileSync(source, `process.exit(${SOURCE});\n`);
  writeFileSync(built, `process.exit(${BUILT});\n`);
  writeFileSync(join(root, 'dist', STAMP_FILE), readStamp(root));
  return { root, source, launcher: writeLauncher(`clone-${name}`, { source, built, clone: root }) };
}

type Target = {
  readonly clone?: string;
  readonly source?: string;
  readonly built?: string;
  readonly minimum?: readonly number[];
  readonly nodePackages?: readonly string[];
  readonly nodeOptions?: readonly string[];
};

function writeLauncher(name: string, target: Target): string {
  const file = join(folder, `${name}.js`);
  const { source = 'entry.ts', built = 'no-such-file.js', clone, ...rest } = target;
  const at = (path: string) => JSON.stringify(pathToFileURL(resolve(folder, path)));

  writeFileSync(
    file,
    `import { launch } from ${JSON.stringify(LAUNCH)};
     launch({
       source: new URL(${at(source)}),
       built: new URL(${at(built)}),
       clone: ${clone === undefined ? undefined : `new URL(${at(clone)})`},
       ...${JSON.stringify(rest)},
     });`,
  );
  return file;
}

function start(launcher: string, args: readonly string[], env: Record<string, string> = {}) {
  // The test run sets its own compile cache, which would take precedence.
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const child: ChildProcess = spawn(process.execPath, [launcher, ...args], {
    env: { ...inherited, XDG_CACHE_HOME: join(folder, 'cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
  const lines = child.stdout === null ? null : createInterface(child.stdout);
  return {
    process: child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    firstLine: new Promise<string>((resolve) => lines?.once('line', resolve)),
    ended: once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal })),
  };
}

async function waitUntilGone(pid: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (isAlive(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still alive`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
