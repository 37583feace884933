import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import Table from 'cli-table3';

import { type Dialect, openDatabases } from './support/databases.ts';
import { median, type Measurement } from './support/measurement.ts';
import { runChain } from './workloads/chain.ts';
import { runWorkerLoop } from './workloads/worker-loop.ts';

/*
 * npm run bench [-- --quick] [--json]
 *
 * Rounds are interleaved (every workload once, then every workload again), so that a change of the
 * machine's mood meets all of them alike; the table shows medians. Both stores commit durably:
 * synchronous_commit on, synchronous = FULL. On a shared machine the counters per unit are figures
 * to keep; rates are for comparing within one run.
 */

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, rounds: { type: 'string' } },
});
const scale = values.quick === true ? 0.2 : 1;
const rounds = Number(values.rounds ?? (values.quick === true ? 1 : 5));
const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres'];
const IN_FLIGHT = 16;

interface Workload {
  readonly name: string;
  readonly unit: string;
  run(databases: Awaited<ReturnType<typeof openDatabases>>): Promise<Measurement>;
}

const workloads: readonly Workload[] = DIALECTS.flatMap((dialect) => [
  {
    name: `${dialect}: chain of 10 in-engine steps, ${IN_FLIGHT} in flight`,
    unit: 'steps',
    run: (databases) =>
      onFresh(databases, dialect, (database) =>
        runChain({
          dialect,
          database,
          executions: Math.ceil(2_000 * scale),
          inFlight: IN_FLIGHT,
        }),
      ),
  },
  {
    name: `${dialect}: claim and complete over HTTP, ${IN_FLIGHT} loops`,
    unit: 'items',
    run: (databases) =>
      onFresh(databases, dialect, (database) =>
        runWorkerLoop({ database, items: Math.ceil(4_000 * scale), loops: IN_FLIGHT }),
      ),
  },
]);

async function onFresh(
  databases: Awaited<ReturnType<typeof openDatabases>>,
  dialect: Dialect,
  run: (database: Awaited<ReturnType<typeof databases.create>>) => Promise<Measurement>,
): Promise<Measurement> {
  const database = await databases.create(dialect);
  try {
    return await run(database);
  } finally {
    await database.drop();
  }
}

async function main(): Promise<void> {
  const measured = new Map<Workload, Measurement[]>(workloads.map((workload) => [workload, []]));
  const databases = await openDatabases();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const workload of workloads) {
        process.stderr.write(`round ${round}/${rounds}: ${workload.name}\n`);
        measured.get(workload)?.push(await workload.run(databases));
      }
    }
  } finally {
    await databases.close();
  }
  const results = workloads.map((workload) => ({
    workload: workload.name,
    unit: workload.unit,
    ...median(measured.get(workload) ?? []),
    rounds: measured.get(workload) ?? [],
  }));
  const machine = { cores: cpus().length, node: process.version, load: loadavg()[0] ?? 0 };
  if (values.json === true) console.log(JSON.stringify({ machine, results }, null, 2));
  else print(results, machine);
}

function print(
  results: readonly (Measurement & { readonly workload: string; readonly unit: string })[],
  machine: { readonly cores: number; readonly node: string; readonly load: number },
): void {
  const table = new Table({
    head: ['workload', 'per second', 'p50 ms', 'p99 ms', 'client CPU µs', 'commits', 'statements'],
    style: { head: [], border: [] },
  });
  const share = (value: number | null): string => (value === null ? '–' : value.toFixed(2));
  for (const result of results) {
    table.push([
      result.workload,
      `${Math.round(result.perSecond)} ${result.unit}`,
      result.p50Ms.toFixed(2),
      result.p99Ms.toFixed(2),
      result.cpuMicrosPerUnit.toFixed(0),
      share(result.commitsPerUnit),
      share(result.statementsPerUnit),
    ]);
  }
  console.log(table.toString());
  console.log(
    `${machine.cores} cores, ${machine.node}, load ${machine.load.toFixed(1)} at the end; ` +
      `medians of ${rounds} round(s); commits and statements are per unit`,
  );
}

await main();
