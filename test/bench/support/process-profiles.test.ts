import type { Profiler } from 'node:inspector';
import test from 'ava';

import {
  describeProcesses,
  functionRows,
  partTable,
} from '../../../bench/support/process-profiles.ts';

const IDLE = 2;
const DRIVER = 3;
const MAIN = 4;

/** A sample every 100 µs from 1 000 µs on, of the given nodes. */
function profileOf(main: string, samples: readonly number[]): Profiler.Profile {
  const node = (
    id: number,
    functionName: string,
    url: string,
    children: readonly number[] = [],
  ) => {
    const callFrame = { functionName, url, scriptId: '', lineNumber: 6, columnNumber: 0 };
    return { id, callFrame, hitCount: 1_000, children: [...children] };
  };
  return {
    nodes: [
      node(1, '(root)', '', [IDLE, DRIVER, MAIN]),
      node(IDLE, '(idle)', ''),
      node(DRIVER, 'query', 'file:///app/node_modules/pg/lib/client.js'),
      node(MAIN, 'run', `file:///app/${main}`),
    ],
    startTime: 1_000,
    endTime: 1_000 + samples.length * 100,
    samples: [...samples],
    timeDeltas: samples.map(() => 100),
  };
}

const WORKER = 'bench/support/served-steps-process.ts';
/** Samples at 1 100, 1 200 … */
const SAMPLES = [MAIN, IDLE, DRIVER, DRIVER, DRIVER, MAIN];
const WINDOW = { from: 1_150, to: 1_650 };

test('only samples within the window count', (t) => {
  const [worker] = describeProcesses([profileOf(WORKER, SAMPLES)], WINDOW);
  t.is(worker?.name, 'worker');
  t.is(worker?.busy, 4 / 5);
  t.is(worker?.parts.get('PostgreSQL driver'), 3 / 4);
  t.is(worker?.parts.get('benchmark'), 1 / 4);
});

test('a process has the name of its part in the workload, and an idle one is left out', (t) => {
  const names = (main: string) =>
    describeProcesses([profileOf(main, SAMPLES)], WINDOW).map(({ name }) => name);
  t.deepEqual(names('bench/run-cell.ts'), ['workload']);
  t.deepEqual(names('src/scheduler/loop.ts'), ['scheduler']);
  t.deepEqual(names('src/api/endpoints/work-items/claim.ts'), ['api']);
  t.deepEqual(describeProcesses([profileOf(WORKER, [IDLE, IDLE])], { from: 0, to: 9_999 }), []);
});

test('a table has a column for each process, and its functions by their own time', (t) => {
  const profiles = describeProcesses([profileOf(WORKER, SAMPLES)], WINDOW);
  const [head, rows] = partTable('svc W10/16', profiles);
  t.deepEqual(head, ['svc W10/16', 'worker']);
  t.deepEqual(rows[0], ['busy', '80 %']);
  t.deepEqual(
    rows.find(([part]) => part === 'PostgreSQL driver'),
    ['PostgreSQL driver', '75 %'],
  );
  t.deepEqual(functionRows(profiles), [
    ['worker', '75.0 %', 'query node_modules/pg/lib/client.js:7'],
    ['worker', '25.0 %', `run ${WORKER}:7`],
  ]);
});
