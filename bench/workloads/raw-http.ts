import { fork } from 'node:child_process';
import { once } from 'node:events';

import { freePort } from '../../test/support/servers/ports.ts';
import { after, createLatencies, inLanes } from '../support/lanes.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { openWorkerClient } from '../support/worker-client.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface RawHttpParams {
  readonly connections: number;
}

const SERVER = new URL('../support/bare-server.ts', import.meta.url);
const WARM_UP_SECONDS = 1;
const BODY = { lease_fence: 1, idempotency_key: '0'.repeat(64), output: {}, state_patch: {} };

/** The limit of Node: requests of the size of a completion, to a server that does nothing. */
export async function measure(given: GivenWorkload<RawHttpParams>): Promise<void> {
  const { params, seconds, window } = given;
  const server = fork(SERVER, [String(await freePort())], { stdio: 'inherit' });
  const [port] = (await once(server, 'message')) as [number];
  const client = openWorkerClient(`http://127.0.0.1:${port}`, params.connections);
  const call = () => client.call('POST', '/work-items/1/complete', BODY);
  await inLanes(params.connections, after(WARM_UP_SECONDS), async () => void (await call()));
  await window(async () => {
    const used = (): number => cpuMicrosOf(server.pid ?? 0) ?? 0;
    const usedBefore = used();
    const latencies = createLatencies();
    await inLanes(params.connections, after(seconds), () => latencies.time(call));
    const otherCpuMicros = used() - usedBefore;
    const units = latencies.all().length;
    return {
      units,
      executions: 0,
      ...latencies.summary(),
      otherCpuMicros,
      rssMiB: null,
      extra: { server_cpu_micros: otherCpuMicros / units },
    };
  });
  await client.close();
  server.disconnect();
}
