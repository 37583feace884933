import { dutyLoop } from './duty-loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Deletes what has outlived its use. */
export function prune(context: LoopContext): LoopDefinition {
  return dutyLoop(context, {
    name: 'prune',
    restMs: { min: EVERY_MS, max: EVERY_MS },
    standbyMs: STANDBY_MS,
    run: async () => ({ found: await context.store.prune(), more: false }),
  });
}

const EVERY_MS = 600_000;
/** Long enough that a frozen process on duty is noticed by nobody else first. */
const STANDBY_MS = 6 * 3_600_000;
