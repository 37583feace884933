import { once } from 'node:events';

import { createMeasuredWorker, type ServedSteps } from './served-steps.ts';

/*
 * A worker of the SDK in its own process: `node bench/support/served-steps-process.ts <json>`. The
 * workload forks it. It reports the times of its items on request, and ends with its channel.
 */

export interface WorkerProcessParams {
  readonly served: ServedSteps;
  readonly url: string;
  readonly token: string;
  readonly workerId: string;
  readonly concurrency: number;
}

const { served, ...options } = JSON.parse(process.argv[2] ?? '') as WorkerProcessParams;
const { worker, takeTimes } = createMeasuredWorker(served, options);
const running = worker.run();
await worker.ready;
process.on('message', () => process.send?.(takeTimes()));
process.send?.('ready');
await Promise.race([running, once(process, 'disconnect')]);
await worker.stop({ deadlineMs: 0 });
process.exit(0);
