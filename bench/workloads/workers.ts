import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient, type SvcClient } from 'svc-sdk/client';

import { type StepTime, summarizeHandOffs } from '../support/hand-offs.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { API_KEY, startRuntimes, type RuntimeProcess } from '../support/runtime-process.ts';
import type { WorkerProcessParams } from '../support/served-steps-process.ts';
import { graphOfTools, type ServedSteps } from '../support/served-steps.ts';
import { runPaced, runServed, warmUpServed } from '../support/run-served.ts';
import { sumOf } from '../support/statistics.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface WorkersParams extends ServedSteps {
  readonly inFlight: number;
  readonly workers: number;
  /** The API and the scheduler run in separate processes, not in one. */
  readonly apart: boolean;
  /** Executions start at even times; absent: one follows another, `inFlight` at a time. */
  readonly paced?: { readonly perSecond: number; readonly isWaitedFor: boolean };
}

const WORKER = new URL('../support/served-steps-process.ts', import.meta.url);

/**
 * Workers of the SDK, each in its own process, serve the steps over HTTP, as users run the product.
 * This process is the client, which starts an execution and waits for its end.
 */
export async function measure(given: GivenWorkload<WorkersParams>): Promise<void> {
  const { database, params, window } = given;
  const roles = params.apart ? (['api', 'scheduler'] as const) : (['all'] as const);
  const runtimes = await startRuntimes(database, roles);
  try {
    const url = runtimes[0]?.url ?? '';
    const client = createClient({ url, token: API_KEY });
    const workers = await startWorkers({ client, url, params });
    await warmUpServed(given, client);
    await Promise.all(workers.map((worker) => worker.takeTimes()));
    const callers: Promise<void>[] = [];
    await window(async () => {
      const [runtimesBefore, workersBefore] = [cpuOf(runtimes), cpuOf(workers)];
      const figures =
        params.paced === undefined
          ? await runServed(given, client)
          : await runPaced(given, client, { ...params.paced, callers });
      const runtimeCpu = cpuOf(runtimes) - runtimesBefore;
      const workerCpu = cpuOf(workers) - workersBefore;
      const times = (await Promise.all(workers.map((worker) => worker.takeTimes()))).flat();
      const rss = runtimes.map(({ pid }) => peakRssMiB(pid) ?? 0);
      return {
        ...figures,
        otherCpuMicros: runtimeCpu + workerCpu,
        rssMiB: Math.max(...rss) || null,
        extra: {
          ...summarizeHandOffs(times),
          runtime_cpu_micros: runtimeCpu / figures.units,
          worker_cpu_micros: workerCpu / figures.units,
          worker_rss_mib: Math.max(...workers.map(({ pid }) => peakRssMiB(pid) ?? 0)),
          ...Object.fromEntries(roles.map((role, index) => [`${role}_rss_mib`, rss[index] ?? 0])),
        },
      };
    });
    await Promise.all(callers);
    await Promise.all(workers.map((worker) => worker.leave()));
  } finally {
    await Promise.all(runtimes.map((one) => one.stop()));
  }
}

function cpuOf(processes: readonly Pick<RuntimeProcess, 'pid'>[]): number {
  return sumOf(processes.map(({ pid }) => cpuMicrosOf(pid) ?? 0));
}

interface WorkerProcess {
  readonly pid: number;
  takeTimes(): Promise<readonly StepTime[]>;
  /** Resolves when the process has ended. */
  leave(): Promise<void>;
}

async function startWorkers(given: {
  readonly client: SvcClient;
  readonly url: string;
  readonly params: WorkersParams;
}): Promise<readonly WorkerProcess[]> {
  const { client, url, params } = given;
  const { as, steps, inFlight, workers } = params;
  if (as === 'tools') await client.workflows.register(graphOfTools(steps));
  return Promise.all(
    Array.from({ length: workers }, (_, index) =>
      startWorker({
        served: { as, steps },
        url,
        token: API_KEY,
        workerId: `bench-${index}`,
        concurrency: Math.ceil(inFlight / workers),
      }),
    ),
  );
}

async function startWorker(params: WorkerProcessParams): Promise<WorkerProcess> {
  const child = fork(WORKER, [JSON.stringify(params)], { stdio: 'inherit' });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async takeTimes() {
      child.send('take');
      const [times] = (await once(child, 'message')) as [readonly StepTime[]];
      return times;
    },
    async leave() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
