import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import test from 'ava';

const CHAOS = fileURLToPath(new URL('chaos.ts', import.meta.url));
/** The faults that every machine supports. */
const FAULTS = [
  'failpoint',
  'kill',
  'freeze',
  'line',
  'postgres-terminate',
  'postgres-restart-fast',
];
const MINUTES = 0.2;

test('a short run of real faults violates nothing', async (t) => {
  t.timeout(400_000);
  const options = ['--minutes', String(MINUTES), '--only', FAULTS.join(), '--alike', '--json'];
  const run = spawn(process.execPath, [CHAOS, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => run.kill('SIGKILL'));
  // The runner takes a test without output for minutes to be hanging.
  createInterface(run.stderr).on('line', (line) => t.log(line));
  const [told, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')]);
  const { violations, faults } = JSON.parse(told) as {
    readonly violations: readonly unknown[];
    readonly faults: Readonly<Record<string, number>>;
  };
  t.deepEqual(violations.slice(0, 10), []);
  t.true(Object.values(faults).some((count) => count > 0));
  t.is(code, 0);
});
