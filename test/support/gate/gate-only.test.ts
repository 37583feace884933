import { globSync } from 'node:fs';
import test from 'ava';

import { GATE_ONLY, planRuns, STORIES } from './gate-only.ts';

test('every pattern of the gate names tests', (t) => {
  for (const pattern of [...GATE_ONLY, ...STORIES]) t.not(globSync(pattern).length, 0, pattern);
});

test('tests are left out only where nothing is asked for', (t) => {
  t.deepEqual(planRuns([]), [{ leftOut: [...GATE_ONLY, ...STORIES], avaArguments: [] }]);
  const one = ['test/chaos/chaos.test.ts'];
  t.deepEqual(planRuns(one), [{ leftOut: [], avaArguments: one }]);
  t.deepEqual(planRuns(['--all', ...one]), [{ leftOut: [], avaArguments: one }]);
});

test('the stories of the console run last and one at a time', (t) => {
  const alone = ['--serial', '--concurrency', '1'];
  t.deepEqual(planRuns(['--all']), [
    { leftOut: STORIES, avaArguments: [] },
    { leftOut: [], avaArguments: [...alone, ...STORIES], isOfStories: true },
  ]);
  const named = 'test/console/serving.test.ts';
  t.deepEqual(planRuns([named]), [{ leftOut: [], avaArguments: [...alone, named] }]);
});
