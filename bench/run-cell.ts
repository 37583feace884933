import { once } from 'node:events';

import { peakRssMiB } from './support/process-use.ts';
import type { CellMessage, GivenWorkload, OpenWindow, Workload } from './support/workload.ts';

/*
 * The process of one workload: `node bench/run-cell.ts <module> <json>`. The runner forks it, and
 * receives a message when its window begins and ends.
 */

const [module, json] = process.argv.slice(2);
if (module === undefined || json === undefined || process.send === undefined) {
  throw new Error('this is started by bench/bench.ts');
}
const workload = (await import(module)) as Workload<unknown>;
const given = JSON.parse(json) as Omit<GivenWorkload<unknown>, 'window' | 'progress'>;

process.once('disconnect', endAlone);
await workload.measure({ ...given, window: openWindow(), progress });
process.off('disconnect', endAlone);
process.disconnect();
// Pools and servers of peers may keep a process alive indefinitely.
process.exit(0);

/** The runner has died, so this process kills everything that it has started. */
function endAlone(): void {
  process.kill(-process.pid, 'SIGKILL');
}

function openWindow(): OpenWindow {
  return async (run) => {
    await tell({ type: 'begin' });
    const cpuBefore = process.cpuUsage();
    const began = performance.now();
    const figures = await run();
    const seconds = (performance.now() - began) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const { units, executions, p50Ms, p99Ms } = figures;
    await tell({
      type: 'end',
      window: {
        units,
        executions,
        p50Ms,
        p99Ms,
        seconds: figures.seconds ?? seconds,
        ownCpuMicros: cpu.user + cpu.system,
        otherCpuMicros: figures.otherCpuMicros ?? 0,
        storeCpuMicros: figures.storeCpuMicros ?? null,
        rssMiB: figures.rssMiB === undefined ? peakRssMiB('self') : figures.rssMiB,
        // The engine runs in this process, which is therefore also the client of the benchmark.
        extra: { ...figures.extra, ...(figures.rssMiB === undefined && { client_inside: 1 }) },
      },
    });
  };
}

function progress(text: string): void {
  process.send?.({ type: 'progress', text } satisfies CellMessage);
}

/** Resolves when the runner has read its figures. */
async function tell(message: CellMessage): Promise<void> {
  const answered = once(process, 'message');
  process.send?.(message);
  await answered;
}
