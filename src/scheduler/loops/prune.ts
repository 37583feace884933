import { standingBy } from '../duty.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Deletes what has outlived its use. */
export function prune(context: LoopContext): LoopDefinition {
  return {
    name: 'prune',
    part: 'work',
    restMs: { min: EVERY_MS, max: EVERY_MS },
    run: standingBy({
      duty: context.pruneDuty,
      everyMs: STANDBY_MS,
      now: context.now,
      run: async () => ({ found: await context.store.prune(), more: false }),
    }),
  };
}

const EVERY_MS = 600_000;
/** Long enough that a frozen process on duty is noticed by nobody else first. */
const STANDBY_MS = 6 * 3_600_000;
