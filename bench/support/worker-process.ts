import { after, createLatencies, inLanes } from './lanes.ts';
import { openWorkerClient } from './worker-client.ts';

/*
 * A worker in a process of its own: `node bench/support/worker-process.ts <json>`, forked by the
 * workload. Its loops claim, (renew the lease) and complete until the time is over or the queue dry.
 */

export interface WorkerParams {
  readonly url: string;
  readonly name: string;
  readonly loops: number;
  readonly heartbeat: boolean;
  readonly seconds: number;
}

export interface WorkerReport {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  readonly cpuMicros: number;
}

const { url, name, loops, heartbeat, seconds } = JSON.parse(process.argv[2] ?? '') as WorkerParams;
const client = openWorkerClient(url, loops);
const latencies = createLatencies();
let dry = false;
const cpuBefore = process.cpuUsage();
const began = performance.now();
const over = after(seconds);
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
const report: WorkerReport = {
  seconds: (performance.now() - began) / 1_000,
  latenciesMs: latencies.all(),
  cpuMicros: cpu.user + cpu.system,
};
process.send?.(report, () => process.exit(0));
