import test from 'ava';

import { createStepTimes, summarizeHandOffs } from '../../../bench/support/hand-offs.ts';

const step = (executionId: string, atMs: number) => ({ executionId, atMs });

test('a hand-off lies between two steps of one execution, with any workers', (t) => {
  const found = summarizeHandOffs([
    step('b', 25),
    step('a', 17),
    step('a', 5),
    step('b', 1),
    step('alone', 0),
  ]);
  t.deepEqual(found, { next_step_p50_ms: 24, next_step_p99_ms: 24 });
});

test('executions of one step have no hand-off', (t) => {
  t.deepEqual(summarizeHandOffs([step('a', 1), step('b', 4)]), {});
});

test('each step is reported once, in the order of its time', (t) => {
  const times = createStepTimes();
  times.ran('execution-1');
  times.ran('execution-2');
  const [first, second, ...others] = times.take();
  t.deepEqual([first?.executionId, second?.executionId], ['execution-1', 'execution-2']);
  t.true((second?.atMs ?? 0) >= (first?.atMs ?? Infinity));
  t.deepEqual([others, times.take()], [[], []]);
});
