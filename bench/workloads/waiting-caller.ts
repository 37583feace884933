import { setTimeout as rest } from 'node:timers/promises';

import { after, createLatencies, warmUpSeconds } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { startRuntimes } from '../support/runtime-process.ts';
import { openWorkerClient } from '../support/worker-client.ts';
import type { GivenWorkload } from '../support/workload.ts';

const CLAIM_MS_MAX = 20_000;
/** By then the runtime has the request of the caller, and the caller waits. */
const UNTIL_IT_WAITS_MS = 20;

/** Its units are few, because each waits for a caller to wait: in one window there would be too few. */
const WINDOWS = 5;

/**
 * The time from the moment a worker sends the completion that ends an execution to the answer of a
 * caller that waits for the result. The worker and the caller use different API processes. `known_p99_ms` is
 * of the part after the end: from the answer to the completion, which follows the commit.
 */
export async function measure(given: GivenWorkload<unknown>): Promise<void> {
  const { database, seconds, window } = given;
  const runtimes = await startRuntimes(database, ['api', 'api', 'scheduler']);
  const [worker, caller] = runtimes.map(({ url }) => openWorkerClient(url, 2));
  if (worker === undefined || caller === undefined) throw new Error('an API is missing');
  try {
    const kind = { type: 'python_fn', module: 'bench', function: 'noop' };
    await worker.call('POST', '/workflows', { ir: { workflow_id: 'one', ...chainOf(1, kind) } });
    const run = async () => {
      await worker.call('POST', '/executions', { workflow_id: 'one', input: {} });
      const item = await worker.claim('bench', CLAIM_MS_MAX);
      if (item === null) throw new Error('no item came');
      const result = caller.call('GET', `/executions/${item.execution_id}/result?wait=20s`);
      await rest(UNTIL_IT_WAITS_MS);
      const sent = performance.now();
      const ended = worker.complete(item).then(() => performance.now());
      const answered = result.then(() => performance.now());
      const [endedAt, answeredAt] = await Promise.all([ended, answered]);
      return {
        all: Math.max(endedAt, answeredAt) - sent,
        afterTheEnd: Math.max(0, answeredAt - endedAt),
      };
    };
    for (const isOver = after(warmUpSeconds(seconds)); !isOver();) await run();
    await window(async () => {
      const latencies = createLatencies();
      const known = createLatencies();
      const cpu = (): number => runtimes.reduce((sum, { pid }) => sum + (cpuMicrosOf(pid) ?? 0), 0);
      const cpuBefore = cpu();
      for (const isOver = after(WINDOWS * seconds); !isOver();) {
        const { all, afterTheEnd } = await run();
        latencies.add(all);
        known.add(afterTheEnd);
      }
      const units = latencies.all().length;
      return {
        units,
        executions: units,
        ...latencies.summary(),
        extra: { known_p99_ms: known.summary().p99Ms },
        otherCpuMicros: cpu() - cpuBefore,
        rssMiB: Math.max(...runtimes.map(({ pid }) => peakRssMiB(pid) ?? 0)),
      };
    });
  } finally {
    await worker.close();
    await caller.close();
    for (const runtime of runtimes.toReversed()) await runtime.stop();
  }
}
