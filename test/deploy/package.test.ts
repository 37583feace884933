import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import test from 'ava';

import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';

/*
 * The package as users install it. The test packs it from a clean copy of the tree without a build,
 * and installs it in an empty folder. Dependencies come from npm's cache, or the registry.
 */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const PACKED = [
  'bin',
  'deploy',
  'src',
  'migrations',
  'docs',
  'package.json',
  '.npmrc',
  'CHANGELOG.md',
];
const BUILT_WITH = ['README.md', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'];
const BYTES_MAX = 5_000_000;
const NPM_MS_MAX = 110_000;
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'svc-test-package-'));
const user = join(folder, 'user');

test.after.always(() => rmSync(folder, { recursive: true, force: true }));

test.serial('the package builds itself, holds what runs, and is small', async (t) => {
  t.timeout(NPM_MS_MAX);
  const source = join(folder, 'source');
  mkdirSync(user);
  for (const entry of [...PACKED, ...BUILT_WITH]) {
    cpSync(join(REPOSITORY, entry), join(source, entry), { recursive: true });
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(source, 'node_modules'));
  const { stdout } = await npm(['pack', '--json', '--pack-destination', user], source);
  const [packed] = packedIn(stdout);
  t.true((packed?.unpackedSize ?? Infinity) <= BYTES_MAX, `${packed?.unpackedSize} bytes`);
  t.log(`${packed?.unpackedSize} bytes in ${packed?.files.length} files`);
  const paths = new Set(packed?.files.map(({ path }) => path));
  for (const path of [
    'bin/svc.js',
    'dist/bin/svc.js',
    'dist/openapi.json',
    'dist/package.json',
    'docs/reference/ir.md',
  ]) {
    t.true(paths.has(path), path);
  }
  t.false(paths.has('docs/openapi.json'), 'it is in the package without its white space');
  t.deepEqual(
    [...paths].filter((path) => /(^|\/)(test|bench|node_modules)\//.test(path)),
    [],
  );
});

test.serial('installed in an empty folder, it tells its version and runs', async (t) => {
  t.timeout(NPM_MS_MAX);
  await npm(['install', '--prefer-offline', './svc-runtime-0.4.0.tgz'], user);
  const { stdout } = await run('npx', ['--no-install', 'svc', 'version'], { cwd: user });
  t.regex(stdout, /0\.4\.0/);
  const show = `import api from 'svc-runtime/openapi.json' with { type: 'json' };
    console.log(api.info.version);`;
  const api = await run(process.execPath, ['--input-type=module', '-e', show], { cwd: user });
  t.regex(api.stdout, /^0\.4\.0/);
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
      t.like(await health.json(), { version: '0.4.0' });
    },
    { withinMs: 60_000 },
  );
  process.kill(-(dev.pid ?? 0), 'SIGTERM');
  await ended;
});

/** A program of a user. */
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
  t.like(JSON.parse(stdout), { version: '0.4.0' });
});

function npm(args: readonly string[], cwd: string) {
  return run('npm', args, { cwd, timeout: NPM_MS_MAX, maxBuffer: 64 * 1024 * 1024 });
}

/** npm 11 and older print a list, newer versions an object by name. */
function packedIn(stdout: string): readonly Packed[] {
  const told = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>;
  return Object.values(told);
}
