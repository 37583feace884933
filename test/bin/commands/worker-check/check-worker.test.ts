import { fileURLToPath } from 'node:url';
import test from 'ava';

import { CASE_FILE } from '../../../../bin/commands/worker-check/case-file.ts';
import { splitCommand } from '../../../../bin/commands/worker-check/split-command.ts';
import { createFolder, runSvc } from '../../run-svc.ts';

/* The command as a process: what it prints, and how it ends. */

const WORKER = fileURLToPath(new URL('support/mistaken-worker.ts', import.meta.url));
const folder = createFolder();
test.after.always(() => folder.remove());

const check = (...args: readonly string[]) =>
  runSvc(['worker', 'check', ...args], { cwd: folder.path });
const command = (mistake: string) => `"${process.execPath}" '${WORKER}' ${mistake}`;

test('a worker that keeps the rules: a line for each case, and exit code 0', async (t) => {
  const { code, stdout } = await check(
    '--cmd',
    command('none'),
    '--case',
    'hands-in-a-failure',
    'does-without-a-key',
  );
  t.is(code, 0);
  t.regex(stdout, /^ok hands-in-a-failure \(\d+\.\d s\)$/m);
  t.regex(stdout, /^ok does-without-a-key \(\d+\.\d s\)$/m);
  t.regex(stdout, /^2 passed, 0 failed, 0 not checked$/m);
});

test('a worker with a mistake: the rule, the reason, the calls and its output, and exit code 1', async (t) => {
  const { code, stdout } = await check(
    '--cmd',
    command('fails-after-404'),
    '--case',
    'stops-after-404-to-complete',
  );
  t.is(code, 1);
  t.regex(stdout, /^NO stops-after-404-to-complete/m);
  t.regex(stdout, /✘ fail of a follows the answer 404 to complete, which was the end/);
  t.regex(stdout, /see docs\/reference\/worker-protocol\.md#complete/);
  t.regex(stdout, /^ +\d+ +\d+ {2}complete a +404$/m);
  t.regex(stdout, /^0 passed, 1 failed, 0 not checked$/m);
});

test('the result for programs', async (t) => {
  const { code, stdout } = await check(
    '--cmd',
    command('fails-after-404'),
    '--case',
    'stops-after-404-to-complete',
    '--json',
  );
  t.is(code, 1);
  const result = JSON.parse(stdout) as {
    readonly cases: readonly { readonly calls: readonly { readonly kind: string }[] }[];
  };
  t.like(result, {
    passed: 0,
    failed: 1,
    complete: true,
    cases: [{ name: 'stops-after-404-to-complete', outcome: 'failed' }],
  });
  t.true(result.cases[0]?.calls.some(({ kind }) => kind === 'complete'));
});

test('a worker that cannot do the first case is not asked for more', async (t) => {
  const broken = await check('--cmd', `"${process.execPath}" -e 'throw new Error("no worker")'`);
  t.is(broken.code, 1);
  t.regex(broken.stdout, /no worker/);
  t.regex(broken.stderr, /the first case failed, so the others were not played/);
});

test('the list names every case with its rule', async (t) => {
  const { code, stdout } = await check('--list');
  t.is(code, 0);
  for (const { name, rule } of CASE_FILE.cases) {
    t.true(stdout.includes(name) && stdout.includes(rule), name);
  }
  const document = await check('--list', '--json', '--case', 'completes-an-item');
  t.like(JSON.parse(document.stdout), { cases: [{ name: 'completes-an-item' }] });
});

test('usage: a command that is missing, unknown or open, and a case that does not exist', async (t) => {
  for (const [args, message] of [
    [[], /--cmd is missing/],
    [['--cmd', 'a "b'], /--cmd has a " without its end/],
    [['--cmd', './no-such-worker'], /cannot start \.\/no-such-worker/],
    [['--cmd', 'x', '--case', 'nonsense'], /there is no case nonsense/],
  ] as const) {
    const { code, stderr } = await check(...args);
    t.is(code, 2, stderr);
    t.regex(stderr, message);
  }
});

test('a command line is split as a shell does', (t) => {
  t.deepEqual(splitCommand(`a 'b "c' "d 'e" f\\ g ""`), ['a', 'b "c', "d 'e", 'f g', '']);
});
