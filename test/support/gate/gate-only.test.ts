import { globSync } from 'node:fs';
import test from 'ava';

import { COMPANION, GATE_ONLY, MEASURED, planRuns, STORIES } from './gate-only.ts';

test('every pattern of the gate names tests', (t) => {
  for (const pattern of [...GATE_ONLY, ...MEASURED, ...STORIES, ...COMPANION])
    t.not(globSync(pattern).length, 0, pattern);
});

test('tests are left out only where nothing is asked for', (t) => {
  const leftOut = [...GATE_ONLY, ...STORIES, ...COMPANION];
  t.deepEqual(planRuns([]), [{ leftOut, avaArguments: [] }]);
  const one = ['test/chaos/chaos.test.ts'];
  t.deepEqual(planRuns(one), [{ leftOut: COMPANION, avaArguments: one }]);
  t.deepEqual(planRuns(['--all', ...one]), [{ leftOut: COMPANION, avaArguments: one }]);
});

test('the companion runs only where its files are named', (t) => {
  t.deepEqual(planRuns(['--match', '*']), [{ leftOut: COMPANION, avaArguments: ['--match', '*'] }]);
  const named = ['test/companion/scenarios.test.ts'];
  t.deepEqual(planRuns(named), [{ leftOut: [], avaArguments: named }]);
});

test('measurements run alone, and the stories of the console last, in pairs', (t) => {
  const inPairs = ['--concurrency', '2'];
  t.deepEqual(planRuns(['--all']), [
    { leftOut: [...MEASURED, ...STORIES, ...COMPANION], avaArguments: [] },
    { leftOut: [], avaArguments: ['--concurrency', '1', ...MEASURED] },
    { leftOut: [], avaArguments: [...inPairs, ...STORIES], isOfStories: true },
  ]);
  const named = 'test/console/serving.test.ts';
  t.deepEqual(planRuns([named]), [{ leftOut: COMPANION, avaArguments: [...inPairs, named] }]);
});

test('the two parts of all tests are all tests', (t) => {
  const parts = ['--all-beside-others', '--all-without-others'];
  t.deepEqual(
    parts.flatMap((part) => planRuns([part])),
    planRuns(['--all']),
  );
  const [beside, ...more] = planRuns(['--all-beside-others']);
  t.deepEqual(more, []);
  for (const pattern of [...MEASURED, ...STORIES]) t.true(beside?.leftOut.includes(pattern));
});

test('tests that run alone run only in the gate', (t) => {
  for (const pattern of MEASURED) t.true(GATE_ONLY.includes(pattern), pattern);
});
