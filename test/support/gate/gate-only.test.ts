import { globSync } from 'node:fs';
import test from 'ava';

import { GATE_ONLY, readArguments } from './gate-only.ts';

test('every pattern of the gate names tests', (t) => {
  for (const pattern of GATE_ONLY) t.not(globSync(pattern).length, 0, pattern);
});

test('tests are left out only where nothing is asked for', (t) => {
  t.deepEqual(readArguments([]), { leavesOut: true, avaArguments: [] });
  t.deepEqual(readArguments(['--all']), { leavesOut: false, avaArguments: [] });
  const one = ['test/chaos/chaos.test.ts'];
  t.deepEqual(readArguments(one), { leavesOut: false, avaArguments: one });
});
