import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { runCrashes } from './run-crashes.ts';

/** With fewer runs, hardly any process is killed before all have ended. */
const RUNS = 20;

for (const store of ['sqlite', 'postgres'] as const) {
  test.serial(`functions survive the death of their workers and servers (${store})`, async (t) => {
    t.timeout(200_000);
    const database = await createTestDatabase(store);
    t.teardown(() => database.drop());
    const run = await runCrashes({
      store,
      databaseUrl: database.url,
      seed: 1,
      runs: RUNS,
      concurrency: RUNS,
      patience: { workerRequests: 12, runtimeRequests: 80 },
      onProgress: (line) => t.log(line),
    });
    t.deepEqual(run.violations, []);
    t.is(run.runs, RUNS);
    t.true(run.attemptsLost > 0);
    t.true(run.runsHit > 0);
    t.true(run.continuations > 0);
    for (const end of ['completed', 'failed', 'cancelled']) t.true((run.ends[end] ?? 0) > 0, end);
  });
}
