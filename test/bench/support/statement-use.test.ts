import test from 'ava';

import { statementRows } from '../../../bench/support/statement-use.ts';

test('statements are told by what they took in between, for each unit', (t) => {
  const before = new Map([
    ['select 1', { calls: 5, ms: 1 }],
    ['idle', { calls: 3, ms: 3 }],
  ]);
  const after = new Map([
    ['select 1', { calls: 15, ms: 2 }],
    ['insert\n  into t', { calls: 20, ms: 4 }],
    ['idle', { calls: 3, ms: 3 }],
  ]);
  t.deepEqual(statementRows({ before, after, units: 10 }), [
    ['2.000', '0.4000', 'insert into t'],
    ['1.000', '0.1000', 'select 1'],
  ]);
});
