import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import { buildConsole, type ConsoleBuild } from '../../bin/boot/build-console.ts';
import { isConsoleBuilt, readConsoleStamp, STAMP_FILE } from '../../bin/launch/source-stamp.js';
import { eventually } from '../support/eventually.ts';

const WAIT_MS_MAX = 280_000;

const FOLDERS = [
  'console/public',
  'console/src',
  'console/dist',
  'deploy/package',
  'sdk/typescript/src/client',
  'src/shared/domain',
];

/** A clone whose build does this. */
function makeClone(t: ExecutionContext, script: string | null): string {
  const root = mkdtempSync(join(tmpdir(), 'clone-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'console/src/main.tsx'), 'first');
  if (script !== null) writeFileSync(join(root, 'deploy/package/build-console.ts'), script);
  return root;
}

function build(root: string): { readonly told: readonly string[]; readonly build: ConsoleBuild } {
  const told: string[] = [];
  const consoleUrl = 'http://127.0.0.1:7700/console';
  return { told, build: buildConsole({ root, consoleUrl, report: (text) => told.push(text) }) };
}

/** The build has the lowest priority, and other tests may keep the machine busy. */
async function untilTold(
  t: ExecutionContext,
  told: readonly string[],
  pattern: RegExp,
): Promise<void> {
  t.timeout(WAIT_MS_MAX + 10_000);
  await eventually(
    async () => {
      if (!told.some((text) => pattern.test(text))) throw new Error(`told ${told.join('; ')}`);
    },
    { withinMs: WAIT_MS_MAX },
  );
  t.is(told.length, 2);
}

test('a console without a build is built, and the report of its end has its address', async (t) => {
  const { told } = build(makeClone(t, 'process.exit(0)'));
  t.deepEqual(told, ['Building the console beside the API …']);
  await untilTold(t, told, /^The console is ready: http:\/\/127\.0\.0\.1:7700\/console$/);
});

test('a build that fails says which command tells why', async (t) => {
  const { told } = build(makeClone(t, 'process.exit(1)'));
  await untilTold(t, told, /npm run console:build/);
});

test('a build that still runs ends with its process, without a word', async (t) => {
  const { told, build: running } = build(makeClone(t, 'setInterval(() => {}, 1_000)'));
  await running.stop();
  t.is(told.length, 1);
});

test('nothing is built in the package, and while the build is one of the sources', (t) => {
  t.deepEqual(build(makeClone(t, null)).told, []);
  const root = makeClone(t, 'process.exit(1)');
  writeFileSync(join(root, 'console/dist', STAMP_FILE), readConsoleStamp(root));
  t.true(isConsoleBuilt(root));
  t.deepEqual(build(root).told, []);
});

test('a source that changed, came or went makes the build outdated', (t) => {
  const change: Readonly<Record<string, (root: string) => void>> = {
    changed: (root) => writeFileSync(join(root, 'console/src/main.tsx'), 'other'),
    added: (root) => writeFileSync(join(root, 'console/src/new.tsx'), ''),
    removed: (root) => rmSync(join(root, 'console/src/main.tsx')),
    'of the domain': (root) => writeFileSync(join(root, 'src/shared/domain/new.ts'), ''),
  };
  for (const [name, apply] of Object.entries(change)) {
    const root = makeClone(t, '');
    writeFileSync(join(root, 'console/dist', STAMP_FILE), readConsoleStamp(root));
    apply(root);
    t.false(isConsoleBuilt(root), name);
  }
});

test('a copy of a clone builds its own', (t) => {
  const root = makeClone(t, '');
  writeFileSync(join(root, 'console/dist', STAMP_FILE), readConsoleStamp(root));
  const copy = mkdtempSync(join(tmpdir(), 'clone-'));
  t.teardown(() => rmSync(copy, { recursive: true }));
  cpSync(root, copy, { recursive: true, preserveTimestamps: true });
  t.false(isConsoleBuilt(copy));
});
