import { parseArgs } from 'node:util';

import { saveSections, saveLast } from '../support/save-results.ts';
import { describeMachine } from '../support/machine.ts';
import { renderSection, renderTable, tableOf } from '../support/render.ts';
import { artifactSurvey } from './artifact-survey.ts';
import { autovacuum } from './autovacuum.ts';
import { connections } from './connections.ts';
import { consoleList } from './console-list.ts';
import type { Row } from './experiment.ts';
import { growth } from './growth.ts';
import { largeHistory } from './large-history.ts';
import { logAndDisk } from './log-and-disk.ts';
import { longHistory } from './long-history.ts';
import { pauseOfWorkflow } from './pause-of-workflow.ts';
import { roundTrips } from './round-trips.ts';
import { sealing } from './sealing.ts';
import { servers } from './servers.ts';
import { shards } from './shards.ts';
import { waitingClients } from './waiting-clients.ts';
import { waitingForResults } from './waiting-for-results.ts';
import { waitingStarts } from './waiting-starts.ts';
import { features } from './sql-features.ts';

/*
 * npm run bench:scale [-- --only growth,shards] [--seconds 3] [--large] [--executions 20000] [--json] [--save]
 *
 * Finds the next bottleneck: each experiment supports a claim of docs/concepts/scaling.md, and `--save`
 * writes the tables there. `--large` adds the sizes that take minutes to fill. `--executions` sets the
 * size of large-history, console-list, waiting-for-results, waiting-starts, sealing, pause-of-workflow and
 * artifact-survey.
 */

const EXPERIMENTS = [
  growth,
  largeHistory,
  consoleList,
  longHistory,
  logAndDisk,
  connections,
  shards,
  servers,
  roundTrips,
  waitingClients,
  waitingForResults,
  waitingStarts,
  pauseOfWorkflow,
  sealing,
  artifactSurvey,
  autovacuum,
  features,
];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    large: { type: 'boolean', default: false },
    executions: { type: 'string' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const began = new Date();
const seconds = Number(options.seconds);
const executions = options.executions === undefined ? null : Number(options.executions);
const chosen = options.only?.split(',') ?? EXPERIMENTS.map(({ name }) => name);
const results: Record<string, { readonly what: string; readonly rows: readonly Row[] }> = {};

for (const { name, what, run } of EXPERIMENTS.filter((one) => chosen.includes(one.name))) {
  const progress = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
  try {
    const rows = await run({ seconds, large: options.large, executions, progress });
    results[name] = { what, rows };
    if (!options.json) console.log(`\n${name}: ${what}\n${renderTable(...tableOf(rows))}`);
  } catch (error) {
    // The results of the others are still useful.
    process.exitCode = 1;
    progress(`failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
const machine = describeMachine();
const report = { began, seconds, machine, results };
if (options.json) console.log(JSON.stringify(report, null, 2));
saveLast(report, 'scale');
if (options.save) {
  await saveSections(
    'scaling',
    Object.fromEntries(
      Object.entries(results).map(([name, { rows }]) => [
        name,
        renderSection(rows, { began, machine }),
      ]),
    ),
  );
}
