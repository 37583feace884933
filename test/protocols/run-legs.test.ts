import test from 'ava';

import { runLegs } from './run-legs.ts';

test('the totals of all legs are added up, and a leg that breaks is one failure', async (t) => {
  const written: string[] = [];
  const totals = await runLegs(
    [
      { name: 'first', run: () => Promise.resolve({ passed: 3, failed: 0 }) },
      { name: 'broken', run: () => Promise.reject(new Error('no such kit')) },
      { name: 'last', run: () => Promise.resolve({ passed: 2, failed: 1 }) },
    ],
    (text) => written.push(text),
  );
  t.deepEqual(totals, { passed: 5, failed: 2 });
  t.true(written.join('').includes('broken could not run: no such kit'));
  t.true(written.join('').includes('=== last: 2 passed, 1 failed'));
});
