import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Dialect } from '../support/database.ts';
import { runProgram } from '../support/processes.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { FAULTS } from './nemesis.ts';
import { runCrashes, type CrashRun } from './run-crashes.ts';

/*
 * npm run test:functions -- [--runs N] [--seed S] [--store sqlite|postgres|both] [--concurrency N]
 * [--json]
 *
 * Runs durable functions on real processes that are killed; see docs/contribute/functions.md. N
 * runs on each store. The exit code is 0 only if there are no violations and, with enough runs,
 * each fault occurred.
 */

/** After this many runs on a store, every kind of fault must have occurred. */
const RUNS_FOR_ALL = 400;
/** Processes start more slowly than functions run. This patience gives the most runs per minute. */
const PATIENCE = { workerRequests: 25, runtimeRequests: 250 };

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'both' },
    concurrency: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
  },
});
const [runs, seed, concurrency] = [values.runs, values.seed, values.concurrency].map(Number) as [
  number,
  number,
  number,
];
if (!(runs > 0 && concurrency > 0 && Number.isInteger(seed))) {
  throw new Error('--runs and --concurrency want numbers above 0, --seed a whole number');
}
const stores = (['sqlite', 'postgres'] as const).filter(
  (store) => values.store === 'both' || values.store === store,
);
if (stores.length === 0) throw new Error('--store is sqlite, postgres or both');

const folder = mkdtempSync(join(tmpdir(), 'svc-functions-'));
const results: CrashRun[] = [];
for (const store of stores) results.push(await runOn(store));
const isGood = results.every((run) => faultsOf(run).length === 0);
const told = results.map(({ logs: _logs, ...run }) => run);
process.stdout.write(
  values.json ? `${JSON.stringify(told, null, 2)}\n` : `${results.map(render).join('\n\n')}\n`,
);
if (isGood) rmSync(folder, { recursive: true });
else process.stderr.write(`logs: ${folder}\n`);
process.exitCode = isGood ? 0 : 1;

async function runOn(store: Dialect): Promise<CrashRun> {
  const server = store === 'postgres' ? await startPostgresServer() : null;
  const databaseUrl = server?.url ?? `sqlite:${join(folder, 'functions.db')}`;
  try {
    await runProgram({ entry: 'svc', args: ['db', 'migrate', '--database-url', databaseUrl] });
    const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
    const run = await runCrashes({
      store,
      databaseUrl,
      seed,
      runs,
      concurrency,
      onProgress,
      patience: PATIENCE,
    });
    mkdirSync(join(folder, store));
    for (const [name, log] of run.logs) writeFileSync(join(folder, store, `${name}.log`), log);
    return run;
  } finally {
    await server?.stop();
  }
}

/** The problems of a run. */
function faultsOf({ runs: done, faults, violations, store }: CrashRun): readonly string[] {
  const absent = FAULTS.filter((fault) => faults[fault] === 0);
  return [
    ...violations.flatMap(({ seed: own, executionId, saw }) =>
      saw.map((one) => `VIOLATED by run ${own} (${executionId ?? 'no execution'}): ${one}`),
    ),
    ...(violations.length > 0
      ? [`again: npm run test:functions -- --store ${store} --seed ${seed} --runs ${runs}`]
      : []),
    ...(done >= RUNS_FOR_ALL && absent.length > 0 ? [`never occurred: ${absent.join(', ')}`] : []),
  ];
}

function render(run: CrashRun): string {
  const { store, ends, seconds, faults, calls, children, suspensions, continuations } = run;
  return [
    ...Object.entries(faults).map(([fault, count]) => `${fault.padEnd(52)}${count}`),
    `${store}: ${run.runs} runs in ${seconds} s; ${JSON.stringify(ends)}, ${children} children`,
    `${suspensions} suspensions, ${continuations} continuations, ${calls} calls`,
    `${run.attemptsLost} lost attempts in ${run.runsHit} runs`,
    ...faultsOf(run),
    `${run.violations.length} violations`,
  ].join('\n');
}
