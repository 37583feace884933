import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import Table from 'cli-table3';

import { openDatabases, type Dialect } from './support/databases.ts';
import { runRecall, type RecallFigures } from './workloads/recall.ts';

/*
 * npm run bench:recall [-- --facts 100000] [--recalls 400] [--in-flight 1] [--json]
 * Measures how long a recall takes over one scope of many facts, on both stores. It is separate
 * from the other workloads because filling its tables takes minutes.
 */

const { values } = parseArgs({
  options: {
    facts: { type: 'string' },
    recalls: { type: 'string' },
    'in-flight': { type: 'string' },
    json: { type: 'boolean' },
  },
});
const facts = Number(values.facts ?? 100_000);
const recalls = Number(values.recalls ?? 400);
const inFlight = Number(values['in-flight'] ?? 1);
const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres'];

const results: (RecallFigures & { readonly dialect: Dialect })[] = [];
const databases = await openDatabases();
try {
  for (const dialect of DIALECTS) {
    process.stderr.write(`${dialect}: ${facts} facts\n`);
    const database = await databases.create(dialect);
    try {
      results.push({
        dialect,
        ...(await runRecall({ dialect, database, facts, recalls, inFlight })),
      });
    } finally {
      await database.drop();
    }
  }
} finally {
  await databases.close();
}
const machine = { cores: cpus().length, node: process.version, load: loadavg()[0] ?? 0 };
if (values.json === true)
  console.log(JSON.stringify({ machine, facts, inFlight, results }, null, 2));
else {
  const table = new Table({
    head: ['store', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms', 'first ms', 'index MiB', 'process MiB'],
    style: { head: [], border: [] },
  });
  for (const { dialect, p50Ms, p95Ms, p99Ms, cpuMs, coldMs, indexMiB, rssMiB } of results) {
    const figures = [p50Ms, p95Ms, p99Ms, cpuMs, coldMs, indexMiB, rssMiB];
    table.push([dialect, ...figures.map((value) => value.toFixed(1))]);
  }
  console.log(table.toString());
  console.log(
    `${facts} facts in scope, ${inFlight} recall(s) at a time, ${machine.cores} cores, ` +
      `${machine.node}, load ${machine.load.toFixed(1)} at the end`,
  );
}
