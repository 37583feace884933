import { openEngine } from '../support/engine-process.ts';
import { after, createLatencies, inLanes, times } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import { cpuMicrosOf, peakRssMiB } from '../support/process-use.ts';
import { startRuntime } from '../support/runtime-process.ts';
import { openWorkerClient } from '../support/worker-client.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface ManagementParams {
  readonly route: 'list' | 'read' | 'events' | 'start' | 'workflows';
  readonly inFlight: number;
}

const EXECUTIONS = 2_000;
const WARM_UP_SECONDS = 2;

/** Repeats one route of the API, with some thousands of executions in the database. */
export async function measure(given: GivenWorkload<ManagementParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const { route, inFlight } = params;
  const engine = await openEngine({ database });
  await engine.register('bench', chainOf(10, 'pass'));
  await inLanes(inFlight, times(EXECUTIONS), () => engine.start('bench'));
  await engine.close();
  const runtime = await startRuntime({ database, role: 'api' });
  const client = openWorkerClient(runtime.url, inFlight);
  try {
    const listed = (await client.call('GET', '/executions?limit=50')) as {
      readonly executions: readonly { readonly execution_id: string }[];
    };
    const id = listed.executions[0]?.execution_id ?? '';
    const calls: Record<ManagementParams['route'], () => Promise<unknown>> = {
      list: () => client.call('GET', '/executions?limit=50'),
      read: () => client.call('GET', `/executions/${id}`),
      events: () => client.call('GET', `/executions/${id}/events`),
      start: () => client.call('POST', '/executions', { workflow_id: 'bench', input: {} }),
      workflows: () => client.call('GET', '/workflows'),
    };
    const call = calls[route];
    await inLanes(inFlight, after(WARM_UP_SECONDS), async () => void (await call()));
    await window(async () => {
      const cpuBefore = cpuMicrosOf(runtime.pid) ?? 0;
      const latencies = createLatencies();
      await inLanes(inFlight, after(seconds), () => latencies.time(call));
      return {
        units: latencies.all().length,
        executions: 0,
        ...latencies.summary(),
        otherCpuMicros: (cpuMicrosOf(runtime.pid) ?? 0) - cpuBefore,
        rssMiB: peakRssMiB(runtime.pid),
      };
    });
  } finally {
    await client.close();
    await runtime.stop();
  }
}
