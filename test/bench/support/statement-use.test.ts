import test from 'ava';

import { statementRows } from '../../../bench/support/statement-use.ts';

const use = (calls: number, ms: number, plans = 0, planMs = 0) => ({ calls, ms, plans, planMs });

test('statements are distinguished by their cost in between, for each unit', (t) => {
  const before = new Map([
    ['select 1', use(5, 1)],
    ['idle', use(3, 3)],
  ]);
  const after = new Map([
    ['select 1', use(15, 2)],
    ['insert\n  into t', use(20, 4, 2, 1)],
    ['idle', use(3, 3)],
  ]);
  t.deepEqual(statementRows({ before, after, units: 10 }), [
    ['2.000', '0.4000', '0.200', '0.1000', 'insert into t'],
    ['1.000', '0.1000', '0.000', '0.0000', 'select 1'],
  ]);
});
