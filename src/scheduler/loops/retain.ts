import { dutyLoop } from './duty-loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Removes executions that ended long ago, as the policies say. Without a policy it asks for those. */
export function retain(context: LoopContext): LoopDefinition {
  return dutyLoop(context, {
    name: 'retain',
    restMs: { min: EVERY_MS, max: EVERY_MS },
    standbyMs: STANDBY_MS,
    run: ({ signal }) => context.retaining.round({ signal }),
  });
}

const EVERY_MS = 600_000;
/** Long enough that a frozen process on duty is noticed by nobody else first. */
const STANDBY_MS = 6 * 3_600_000;
