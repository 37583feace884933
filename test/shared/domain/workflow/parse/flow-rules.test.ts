import test from 'ava';
import { problemsOf } from '../read.ts';

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
