import test from 'ava';

import { numberInLine } from '../../../../src/shared/domain/execution/explain/explain-flow-wait.ts';
import { AHEAD_EXPLAINED_MAX } from '../../../../src/shared/domain/execution/explain/facts.ts';

test('a place is exact up to the bound of what is counted', (t) => {
  t.is(numberInLine(0), 'number 1');
  t.is(numberInLine(AHEAD_EXPLAINED_MAX - 1), 'number 100000');
  t.is(numberInLine(AHEAD_EXPLAINED_MAX), 'number 100001 or later');
});
