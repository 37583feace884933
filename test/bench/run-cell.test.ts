import test from 'ava';

import { runCell } from '../../bench/support/cell-process.ts';
import type { Measurement } from '../../bench/support/measurement.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { sqlitePath } from '../support/stores.ts';

const EXECUTIONS = new URL('../../bench/workloads/executions.ts', import.meta.url);

test('a workload runs in a process of its own and tells what it has measured', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const measurement = await runShortChains(database);
  t.true(measurement.perSecond > 0);
  t.true(measurement.p99Ms >= measurement.p50Ms);
  t.true(measurement.clientCpuMicros > 0);
  t.true((measurement.extra['hand_off_p50_ms'] ?? 0) > 0);
  t.is(measurement.extra['commit_refusals'], 0);
});

test('a workload that ends without figures fails with what it has said', async (t) => {
  const database = await createEmptyDatabase('sqlite');
  t.teardown(() => database.drop());
  await t.throwsAsync(runShortChains(database), {
    message: /executions\.ts ended with 1:[^]*no such table/,
  });
});

test('the process of a workload has the options of Node that it is given', async (t) => {
  const database = await createEmptyDatabase('sqlite');
  t.teardown(() => database.drop());
  await t.throwsAsync(runShortChains(database, ['--no-such-option']), {
    message: /ended with 9:[^]*--no-such-option/,
  });
});

function runShortChains(
  { url }: TestDatabase,
  nodeOptions: readonly string[] = [],
): Promise<Measurement> {
  return runCell({
    module: EXECUTIONS,
    database: { dialect: 'sqlite', url: sqlitePath(url) },
    params: { shape: 'chain', steps: 3, inFlight: 1, kind: 'noop' },
    seconds: 0.1,
    secondsMax: 60,
    round: 1,
    readServer: null,
    nodeOptions,
  });
}
