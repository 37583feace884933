import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { createClient } from 'svc-sdk/client';

import { type BenchDatabase, openDatabases } from './support/databases.ts';
import { describeMachine, findPgbench } from './support/machine.ts';
import { measured, type Measurement } from './support/measurement.ts';
import { cpuMicrosOf } from './support/process-use.ts';
import { RATIO_HEAD, type Result, renderTable, show } from './support/render.ts';
import { judgeResults, type Report } from './support/report.ts';
import { runServed, warmUpServed } from './support/run-served.ts';
import { API_KEY, startRuntime } from './support/runtime-process.ts';
import { graphOfTools, type ServedSteps } from './support/served-steps.ts';
import { ratios, spread } from './support/statistics.ts';
import { WORKER_HEAD, workerRows } from './support/worker-rows.ts';

/*
 * npm run bench:before -- --before <checkout> [--in-flight 64] [--rounds 3] [--seconds 4] [--json]
 *
 * The processor time of a step of workload W10, beside that of another checkout in the same run. Each has its
 * own runtime, from its sources, and its own worker of the SDK. The client is that of this checkout and
 * does not count. The two take turns, so the ratios hold on a shared machine. `npm run bench:add` adds
 * the figures of `--json` to the page.
 */

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    'in-flight': { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
if (values.before === undefined) throw new Error('name another checkout with --before');

const CHECKOUTS = {
  svc: new URL('../', import.meta.url).pathname,
  'svc before': resolve(values.before),
} as const;
type Subject = keyof typeof CHECKOUTS;
const SUBJECTS: readonly Subject[] = ['svc', 'svc before'];
const SERVED: ServedSteps = { as: 'tools', steps: 10 };
const SOURCES = '--conditions=svc-source';
const rounds = Number(values.rounds);
const inFlight = Number(values['in-flight']);
const seconds = Number(values.seconds);

const began = new Date();
const found: Record<Subject, Measurement[]> = { svc: [], 'svc before': [] };
const databases = await openDatabases();
try {
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of round % 2 === 0 ? SUBJECTS : SUBJECTS.toReversed()) {
      const measurement = await measure(CHECKOUTS[subject], round);
      found[subject].push(measurement);
      const { perSecond, load } = measurement;
      process.stderr.write(`${subject}: ${show(perSecond)} steps/s, load ${load.toFixed(1)}\n`);
    }
  }
} finally {
  await databases.close();
}

const results: readonly Result[] = SUBJECTS.map((subject) => ({
  id: `W10/${inFlight} in turn`,
  subject,
  what: `ten steps of a worker over HTTP, ${inFlight} in flight, in turn with another checkout`,
  unit: 'steps',
  rounds: found[subject],
  failures: [],
}));
if (values.json) {
  const machine = describeMachine({ pgbench: findPgbench(), server: databases.serverVersion });
  const gates = judgeResults(results);
  const report: Report = { began: began.toISOString(), rounds, seconds, machine, gates, results };
  console.log(JSON.stringify(report, null, 2));
} else {
  console.log(renderTable(WORKER_HEAD, workerRows(results)));
  console.log(
    renderTable(['processor time to that of before', ...RATIO_HEAD.slice(3)], [ratioRow()]),
  );
}

async function measure(checkout: string, round: number): Promise<Measurement> {
  const database = await databases.create('empty');
  try {
    migrate(checkout, database);
    return await measureOn(database, checkout, round);
  } finally {
    await database.drop();
  }
}

function migrate(checkout: string, { url }: BenchDatabase): void {
  execFileSync(process.execPath, [SOURCES, join(checkout, 'bin/svc.js'), 'db', 'migrate'], {
    env: { ...process.env, SVC_DATABASE_URL: url },
    stdio: 'ignore',
  });
}

async function measureOn(
  database: BenchDatabase,
  checkout: string,
  round: number,
): Promise<Measurement> {
  // In the variable, so that the launcher of the checkout still adds its own options.
  const settings = { NODE_OPTIONS: SOURCES };
  const runtime = await startRuntime({ database, checkout, settings });
  try {
    const client = createClient({ url: runtime.url, token: API_KEY });
    await client.workflows.register(graphOfTools(SERVED.steps));
    const worker = await startWorker(checkout, runtime.url);
    const workload = { params: { ...SERVED, inFlight }, seconds };
    await warmUpServed(workload, client);
    const cpu = () => [runtime.pid, worker.pid].map((pid) => cpuMicrosOf(pid) ?? NaN);
    const before = await database.readServer?.();
    const [runtimeBefore = NaN, workerBefore = NaN] = cpu();
    const beganAt = performance.now();
    const figures = await runServed(workload, client);
    const lastedSeconds = (performance.now() - beganAt) / 1_000;
    const [runtimeAfter = NaN, workerAfter = NaN] = cpu();
    const after = await database.readServer?.();
    const [ofRuntime, ofWorker] = [runtimeAfter - runtimeBefore, workerAfter - workerBefore];
    await worker.leave();
    const window = {
      ...figures,
      seconds: lastedSeconds,
      ownCpuMicros: 0,
      otherCpuMicros: ofRuntime + ofWorker,
      storeCpuMicros: null,
      rssMiB: null,
      extra: {
        runtime_cpu_micros: ofRuntime / figures.units,
        worker_cpu_micros: ofWorker / figures.units,
      },
    };
    const server = before === undefined || after === undefined ? null : { before, after };
    return measured({ round, window, server, load: loadavg()[0] ?? 0 });
  } finally {
    await runtime.stop();
  }
}

async function startWorker(checkout: string, url: string) {
  const params = { served: SERVED, url, token: API_KEY, workerId: 'bench', concurrency: inFlight };
  const module = join(checkout, 'bench/support/served-steps-process.ts');
  const child = fork(module, [JSON.stringify(params)], { execArgv: [SOURCES] });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async leave() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** The median and the range of the rounds. */
function ratioRow(): readonly string[] {
  const micros = (subject: Subject) =>
    new Map(
      found[subject].map(({ round, clientCpuMicros, databaseCpuMicros }) => [
        round,
        clientCpuMicros + (databaseCpuMicros ?? NaN),
      ]),
    );
  const ratio = spread(ratios(micros('svc'), micros('svc before')));
  if (ratio === null) return ['–', '–'];
  return [show(ratio.median, 2), `${show(ratio.min, 2)}–${show(ratio.max, 2)}`];
}
