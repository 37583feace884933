import { once } from 'node:events';

import { boundOldGeneration } from '../../bin/boot/bound-old-generation.ts';
import { openEngine } from './engine-process.ts';
import type { BenchAddress } from './workload.ts';

/*
 * A scheduler in its own process: `node bench/support/scheduler-process.ts <json>`. A workload
 * forks it and tells it when to begin. It reports after every few ended executions, and ends with
 * its channel.
 */

export type SchedulerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'ended'; readonly ended: number; readonly refused: number };

const TELL_MS = 20;

const tell = (message: SchedulerMessage): void => void process.send?.(message);
const engine = await openEngine({ database: JSON.parse(process.argv[2] ?? '') as BenchAddress });
// As the product does.
boundOldGeneration();
tell({ type: 'ready' });
await once(process, 'message');
engine.startScheduler();
const telling = setInterval(() => {
  tell({ type: 'ended', ended: engine.ended(), refused: engine.refused() });
}, TELL_MS);
await once(process, 'disconnect');
clearInterval(telling);
await engine.close();
process.exit(0);
