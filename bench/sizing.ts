import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { describeMachine } from './support/machine.ts';
import type { Measurement } from './support/measurement.ts';
import { renderSection, renderTable, type Result, tableOf } from './support/render.ts';
import { saveLast, saveSections } from './support/save-results.ts';
import { spread } from './support/statistics.ts';

/*
 * npm run bench:sizing [-- --rounds 2] [--seconds 2] [--json] [--save]
 * Estimates the capacity of machines. It measures everything (client, engine, database) bound to
 * one core and to two. For these and more cores it computes cores ÷ (client CPU + database CPU of a
 * unit), as measured on the most cores available. The result assumes that only processor time
 * limits the rate: no lock, no disk, enough processes.
 */

const WORKLOADS = ['A/16', 'B/64', 'D/16'];
const MEASURED = [1, 2].filter((cores) => cores <= cpus().length);
const PROJECTED = [8, 32];
const BENCH = new URL('bench.ts', import.meta.url).pathname;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});

const began = new Date();
const runs = new Map(MEASURED.map((cores) => [cores, measureOn(cores)]));
const most = runs.get(MEASURED.at(-1) ?? 1);
const rows = WORKLOADS.map((workload) => {
  const middle = (
    of: readonly Result[] | undefined,
    pick: (one: Measurement) => number,
  ): number => {
    const rounds = of?.find(({ id, subject }) => id === workload && subject === 'svc')?.rounds;
    return spread((rounds ?? []).map(pick))?.median ?? NaN;
  };
  const client = middle(most, ({ clientCpuMicros }) => clientCpuMicros);
  const database = middle(most, ({ databaseCpuMicros }) => databaseCpuMicros ?? 0);
  const show = (value: number): string => (Number.isNaN(value) ? '–' : String(Math.round(value)));
  return {
    workload,
    'client CPU µs': show(client),
    'database CPU µs': show(database),
    ...Object.fromEntries(
      [...runs].map(([cores, results]) => [
        `measured on ${cores} core${cores === 1 ? '' : 's'} (load)`,
        `${show(middle(results, ({ perSecond }) => perSecond))}/s ` +
          `(${middle(results, ({ load }) => load).toFixed(1)})`,
      ]),
    ),
    ...Object.fromEntries(
      [...MEASURED, ...PROJECTED].map((cores) => {
        const rate = (cores * 1e6) / (client + database);
        const processes = Math.ceil((rate * client) / 1e6);
        const of = `${show(processes)} process${processes === 1 ? '' : 'es'}`;
        return [`reckoned for ${cores}`, `${show(rate)}/s, ${of}`];
      }),
    ),
  };
});
const machine = describeMachine();
saveLast({ began, machine, rows }, 'sizing');
console.log(options.json ? JSON.stringify(rows, null, 2) : renderTable(...tableOf(rows)));
if (options.save)
  await saveSections('performance', { sizing: renderSection(rows, { began, machine }) });

/** Binds the whole benchmark, its server included, to the first cores. */
function measureOn(cores: number): readonly Result[] {
  process.stderr.write(`${cores} of ${cpus().length} cores\n`);
  const { rounds, seconds } = options;
  const args = ['-c', `0-${cores - 1}`, process.execPath, BENCH, '--json']
    .concat(['--only', WORKLOADS.map((workload) => `svc ${workload}`).join(',')])
    .concat(['--rounds', rounds, '--seconds', seconds]);
  const { stdout, status, error } = spawnSync('taskset', args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Status 1 means that a gate failed, which does not matter for this estimate.
  if (status !== 0 && status !== 1) throw new Error('the benchmark failed', { cause: error });
  return (JSON.parse(stdout) as { readonly results: readonly Result[] }).results;
}
