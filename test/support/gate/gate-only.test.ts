import { globSync } from 'node:fs';
import test from 'ava';

import { GATE_ONLY, MEASURED, planRuns, STORIES } from './gate-only.ts';

test('every pattern of the gate names tests', (t) => {
  for (const pattern of [...GATE_ONLY, ...MEASURED, ...STORIES])
    t.not(globSync(pattern).length, 0, pattern);
});

test('tests are left out only where nothing is asked for', (t) => {
  t.deepEqual(planRuns([]), [{ leftOut: [...GATE_ONLY, ...STORIES], avaArguments: [] }]);
  const one = ['test/chaos/chaos.test.ts'];
  t.deepEqual(planRuns(one), [{ leftOut: [], avaArguments: one }]);
  t.deepEqual(planRuns(['--all', ...one]), [{ leftOut: [], avaArguments: one }]);
});

test('measurements run alone, and the stories of the console last, in pairs', (t) => {
  const inPairs = ['--concurrency', '2'];
  t.deepEqual(planRuns(['--all']), [
    { leftOut: [...MEASURED, ...STORIES], avaArguments: [] },
    { leftOut: [], avaArguments: ['--concurrency', '1', ...MEASURED] },
    { leftOut: [], avaArguments: [...inPairs, ...STORIES], isOfStories: true },
  ]);
  const named = 'test/console/serving.test.ts';
  t.deepEqual(planRuns([named]), [{ leftOut: [], avaArguments: [...inPairs, named] }]);
});

test('tests that run alone run only in the gate', (t) => {
  for (const pattern of MEASURED) t.true(GATE_ONLY.includes(pattern), pattern);
});
