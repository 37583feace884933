import test from 'ava';

import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { inspectWorkflow } from '../../../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../../../src/shared/nodes/index.ts';
import { accept, lines, problemsOf } from '../read.ts';

const RULES = [
  ['batch', { max: 2, wait: '1s' }, { maxx: 3 }, '/batch/maxx: is not known: did you mean "max"?'],
  ['batch', { max: 2, wait: '1s' }, { size: 3 }, '/batch/size: is not known: use key, max, wait'],
  [
    'debounce',
    { wait: '1s' },
    { maxwait: 3 },
    '/debounce/maxwait: is not known: did you mean "max_wait"?',
  ],
  [
    'fairness',
    { key: 'input.a' },
    { wieght: 3 },
    '/fairness/wieght: is not known: did you mean "weight"?',
  ],
  [
    'rate',
    { limit: 1, per: '1s' },
    { brust: 3 },
    '/rate/brust: is not known: did you mean "burst"?',
  ],
] as const;

for (const [field, rule, slip, problem] of RULES) {
  const [name = ''] = Object.keys(slip);
  test(`${field}: ${name} is refused with the name that was meant`, (t) => {
    t.deepEqual(problemsOf({ workflow_id: 'w', [field]: rule }), []);
    t.deepEqual(problemsOf({ workflow_id: 'w', [field]: { ...rule, ...slip } }), [problem]);
  });
}

test('concurrency: limt is refused with the name that was meant, and is no warning as well', (t) => {
  const slip = { limit: 2, limt: 3 };
  t.deepEqual(inspect({ concurrency: { key: 'input.a', limit: 2, when_full: 'queue' } }), []);
  t.deepEqual(inspect({ concurrency: slip }), [
    '/concurrency/limt: is not known: did you mean "limit"?',
  ]);
  t.deepEqual(inspect({ concurrency: { key: 'input.a', limt: 2 } }), [
    '/concurrency/limit: must be a whole number from 1 to 10000',
    '/concurrency/limt: is not known: did you mean "limit"?',
  ]);
});

test('a key that reads what is empty before the beginning is a warning', (t) => {
  const warning = (at: string, variable: string) =>
    `${at}: reads ${variable}, which is empty here: read input`;
  t.deepEqual(inspect({ concurrency: { limit: 1, key: 'execution.id' } }), [
    warning('/concurrency/key', 'execution'),
  ]);
  t.deepEqual(inspect({ rate: { limit: 1, per: '1s', key: 'output.a' } }), [
    warning('/rate/key', 'output'),
  ]);
  t.deepEqual(inspect({ fairness: { key: 'input.a', weight: 'execution.n' } }), [
    warning('/fairness/weight', 'execution'),
  ]);
  t.deepEqual(inspect({ batch: { max: 2, wait: '1s', key: 'state.a' } }), []);
});

test('concurrency: a stored definition with an unknown member keeps its limit', (t) => {
  const { plan } = accept({ concurrency: { limit: 2, limt: 3 } });
  t.is(plan.concurrency?.limit, 2);
});

/** Problems and warnings of a definition that its author registers. */
function inspect(ir: JsonObject): readonly string[] {
  const read = inspectWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds: builtInKinds });
  return lines([...(read.ok ? [] : read.problems), ...read.warnings]);
}
