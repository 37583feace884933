import { dutyLoop } from './duty-loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Reads what the metrics of the whole cluster tell: queues, live executions, what is late. One
 * scheduler does it for all, about as often as it is scraped.
 */
export function watchCluster(context: LoopContext): LoopDefinition {
  return dutyLoop(context, {
    name: 'watch-cluster',
    restMs: { min: 15_000, max: 15_000, quietMax: 60_000 },
    standbyMs: STANDBY_MS,
    run: () => context.clusterWatch.round(),
  });
}

/** As long as a frozen process on duty may go unnoticed. */
const STANDBY_MS = 300_000;
