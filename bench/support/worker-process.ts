import { once } from 'node:events';

import { after, createLatencies, inLanes } from './lanes.ts';
import { openWorkerClient } from './worker-client.ts';

/*
 * A worker in its own process: `node bench/support/worker-process.ts <json>`. The workload forks
 * it. Its loops claim, optionally renew the lease, and complete, until the time is over or the
 * queue is empty. They do so once to warm up, and again on request.
 */

export interface WorkerParams {
  readonly url: string;
  readonly name: string;
  readonly loops: number;
  readonly heartbeat: boolean;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export type WorkerMessage = 'warm' | WorkerReport;

export interface WorkerReport {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  readonly cpuMicros: number;
}

const { url, name, loops, heartbeat, warmUpSeconds, seconds } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerParams;
const client = openWorkerClient(url, loops);

await work(warmUpSeconds);
const told = once(process, 'message');
tell('warm');
await told;
tell(await work(seconds));
await once(process, 'disconnect');
process.exit(0);

function tell(message: WorkerMessage): void {
  process.send?.(message);
}

async function work(forSeconds: number): Promise<WorkerReport> {
  const latencies = createLatencies();
  let dry = false;
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const over = after(forSeconds);
  await inLanes(
    loops,
    () => dry || over(),
    async (loop) => {
      const start = performance.now();
      const workerId = `${name}-${loop}`;
      const item = await client.claim(workerId, 0);
      if (item === null) {
        dry = true;
        return;
      }
      if (heartbeat) await client.heartbeat(workerId, item);
      await client.complete(item);
      latencies.add(performance.now() - start);
    },
  );
  const cpu = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - began) / 1_000,
    latenciesMs: latencies.all(),
    cpuMicros: cpu.user + cpu.system,
  };
}
