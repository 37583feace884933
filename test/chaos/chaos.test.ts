import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';

import { describe } from '../invariants/violation.ts';
import { selectFaults } from './faults/index.ts';
import { runChaos } from './run-chaos.ts';

/** What every machine can do. */
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
  const folder = mkdtempSync(join(tmpdir(), 'svc-chaos-test-'));
  const run = await runChaos({
    seed: '1',
    minutes: MINUTES,
    // Of each kind as many.
    faults: selectFaults(FAULTS).map((fault) => ({ ...fault, share: 1 })),
    folder,
    // A test that says nothing for minutes is taken for one that hangs.
    onProgress: (line) => t.log(line),
    signal: new AbortController().signal,
  });
  t.deepEqual(run.violations.slice(0, 10).map(describe), [], `logs are in ${folder}`);
  t.true(run.strikes.length > 0);
  rmSync(folder, { recursive: true, force: true });
});
