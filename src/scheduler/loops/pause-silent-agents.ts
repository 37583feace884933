import { dutyLoop } from './duty-loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Writes down that agents which stopped sending heartbeats are paused. Every reading shows that
 * anyhow from the moment it is so; therefore this has time.
 */
export function pauseSilentAgents(context: LoopContext): LoopDefinition {
  return dutyLoop(context, {
    name: 'pause-silent-agents',
    restMs: { min: 5_000, max: 15_000, quietMax: 120_000 },
    standbyMs: STANDBY_MS,
    run: () => context.agents.pauseSilent({ limit: ROUND_MAX }),
  });
}

const ROUND_MAX = 500;
/** As long as a frozen process on duty may go unnoticed. */
const STANDBY_MS = 600_000;
