import { fork } from 'node:child_process';
import { once } from 'node:events';

import { openEngine } from '../support/engine-process.ts';
import { inLanes, times, warmUpSeconds } from '../support/lanes.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { startRuntimes } from '../support/runtime-process.ts';
import { quantile, sumOf } from '../support/statistics.ts';
import type { WorkerParams, WorkerReport } from '../support/worker-process.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface WorkerLoopParams {
  /** The total of all workers. */
  readonly loops: number;
  readonly workers: number;
  readonly heartbeat: boolean;
  /** The API and the scheduler run in separate processes, not in one. */
  readonly apart: boolean;
}

/** More than workers ever take in a second. */
const ITEMS_PER_SECOND = 4_000;
const STARTS_IN_FLIGHT = 256;
/** The runtime compiles its code while it serves the first thousands of requests. */
const WARM_UP_SECONDS_MIN = 3;
const WORKER = new URL('../support/worker-process.ts', import.meta.url);

/**
 * Workers over HTTP against one runtime process of both roles, or one of each. Each item is the
 * only step of an execution, and the runtime ends that execution meanwhile. All executions exist
 * before the window begins.
 */
export async function measure(given: GivenWorkload<WorkerLoopParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const warmUp = Math.max(WARM_UP_SECONDS_MIN, warmUpSeconds(seconds));
  const engine = await openEngine({ database });
  const kind = { type: 'python_fn', module: 'bench', function: 'noop' };
  await engine.register('loop', { nodes: { only: { kind } }, edges: [] });
  const items = Math.ceil(ITEMS_PER_SECOND * (seconds + warmUp));
  await inLanes(STARTS_IN_FLIGHT, times(items), () => engine.start('loop'));
  await engine.close();

  const roles = params.apart ? (['api', 'scheduler'] as const) : (['all'] as const);
  const runtimes = await startRuntimes(database, roles);
  const [runtime] = runtimes;
  try {
    const workers = await Promise.all(
      Array.from({ length: params.workers }, (_, index) =>
        startWorker({
          url: runtime?.url ?? '',
          name: `bench-${index}`,
          loops: params.loops / params.workers,
          heartbeat: params.heartbeat,
          warmUpSeconds: warmUp,
          seconds,
        }),
      ),
    );
    await window(async () => {
      const cpu = () => sumOf(runtimes.map(({ pid }) => cpuMicrosOf(pid) ?? 0));
      const cpuBefore = cpu();
      const reports = await Promise.all(workers.map((worker) => worker.work()));
      const runtimeCpu = cpu() - cpuBefore;
      const workersCpu = sumOf(reports.map(({ cpuMicros }) => cpuMicros));
      const rss = runtimes.map(({ pid }) => peakRssMiB(pid) ?? 0);
      const latencies = reports
        .flatMap(({ latenciesMs }) => latenciesMs)
        .toSorted((left, right) => left - right);
      const units = latencies.length;
      return {
        units,
        executions: units,
        seconds: Math.max(...reports.map((report) => report.seconds)),
        p50Ms: quantile(latencies, 0.5),
        p99Ms: quantile(latencies, 0.99),
        otherCpuMicros: runtimeCpu + workersCpu,
        rssMiB: Math.max(...rss) || null,
        extra: {
          worker_cpu_micros: workersCpu / units,
          runtime_cpu_micros: runtimeCpu / units,
          ...Object.fromEntries(roles.map((role, index) => [`${role}_rss_mib`, rss[index] ?? 0])),
        },
      };
    });
    await Promise.all(workers.map((worker) => worker.leave()));
  } finally {
    await Promise.all(runtimes.map((one) => one.stop()));
  }
}

/** Starts a worker and warms it up; `work` makes it begin, and resolves with its report. */
async function startWorker(
  params: WorkerParams,
): Promise<{ readonly work: () => Promise<WorkerReport>; readonly leave: () => Promise<void> }> {
  const child = fork(WORKER, [JSON.stringify(params)], { stdio: 'inherit' });
  await once(child, 'message');
  return {
    async work() {
      child.send('go');
      const [report] = (await once(child, 'message')) as [WorkerReport];
      return report;
    },
    async leave() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
