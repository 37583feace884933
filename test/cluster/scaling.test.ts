import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { STEPS } from './chain.ts';
import { runScaling } from './run-scaling.ts';

/* `npm run test:scaling` runs the same for longer. */

test('scaling both roles up and down under load fails no request and loses nothing', async (t) => {
  t.timeout(240_000);
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const run = await runScaling({
    url: database.url,
    rounds: 2,
    between: 5,
    onProgress: (line) => t.log(line),
  });
  t.deepEqual(run.violations, []);
  t.is(run.refusals, 0);
  t.true(run.started >= 7 * 5);
  t.is(run.completed, STEPS.length * run.started);
});
