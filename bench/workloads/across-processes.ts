import { startRuntime } from '../support/runtime-process.ts';
import { after, createLatencies, warmUpSeconds } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { openWorkerClient } from '../support/worker-client.ts';
import type { GivenWorkload } from '../support/workload.ts';

const STEPS = 50;
const CLAIM_MS_MAX = 20_000;

/**
 * Measures from the moment a worker sends a completion until a waiting worker has the next step of
 * the same execution. API and scheduler are separate processes. The API commits the completion with
 * what follows from it, and hands the next item to the claim that waits.
 */
export async function measure(given: GivenWorkload<unknown>): Promise<void> {
  const { database, seconds, window } = given;
  const api = await startRuntime({ database, role: 'api' });
  const scheduler = await startRuntime({ database, role: 'scheduler' });
  const client = openWorkerClient(api.url, 4);
  try {
    const kind = { type: 'python_fn', module: 'bench', function: 'noop' };
    const ir = { workflow_id: 'relay', ...chainOf(STEPS, kind) };
    await client.call('POST', '/workflows', { ir });
    const relay = async (until: () => boolean, onStep: (ms: number) => void): Promise<void> => {
      while (!until()) {
        await client.call('POST', '/executions', { workflow_id: 'relay', input: {} });
        let item = await client.claim('bench', CLAIM_MS_MAX);
        for (let left = STEPS - 1; item !== null && left >= 0; left -= 1) {
          // The claim begins to wait before the completion is sent, like that of another worker.
          const next: ReturnType<typeof client.claim> =
            left === 0 ? Promise.resolve(null) : client.claim('bench', CLAIM_MS_MAX);
          const sent = performance.now();
          await client.complete(item);
          item = await next;
          if (item !== null) onStep(performance.now() - sent);
        }
      }
    };
    await relay(after(warmUpSeconds(seconds)), () => undefined);
    await window(async () => {
      const latencies = createLatencies();
      const cpu = (): number => (cpuMicrosOf(api.pid) ?? 0) + (cpuMicrosOf(scheduler.pid) ?? 0);
      const cpuBefore = cpu();
      await relay(after(seconds), (ms) => latencies.add(ms));
      const units = latencies.all().length;
      const rss = [peakRssMiB(api.pid), peakRssMiB(scheduler.pid)].filter((mib) => mib !== null);
      return {
        units,
        executions: units / STEPS,
        ...latencies.summary(),
        otherCpuMicros: cpu() - cpuBefore,
        rssMiB: rss.length === 0 ? null : Math.max(...rss),
      };
    });
  } finally {
    await client.close();
    await scheduler.stop();
    await api.stop();
  }
}
