import test from 'ava';

import { judge } from './judge.ts';

const results = [
  { name: 'fine', passed: true },
  { name: 'broken', passed: false },
  { name: 'left out', passed: false },
  { name: 'mended', passed: true },
];
const expected = { 'left out': 'nobody needs it', mended: 'it did not work once' };

test('an expected failure counts neither way, and one that passes is a failure', (t) => {
  const lines: string[] = [];
  const totals = judge({ results, expected, write: (text) => void lines.push(text) });
  t.deepEqual(totals, { passed: 1, failed: 2 });
  t.deepEqual(lines, [
    'failed: broken\n',
    'expected failure: left out\n  nobody needs it\n',
    'passed, though it is listed as an expected failure: mended\n',
  ]);
});

test('a kit that checks nothing could not run', (t) => {
  const error = t.throws(() => judge({ results: [], expected: {}, write: () => {} }));
  t.is(error.message, 'the kit has checked nothing');
});
