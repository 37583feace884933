import { standingBy } from '../duty.ts';
import { REST_WHILE_LOOKED_MS } from './look-around.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Fails the attempt of items that waited in their queue past their schedule-to-start bound. */
export function expireQueued(context: LoopContext): LoopDefinition {
  return {
    name: 'expire-queued',
    part: 'work',
    restMs: { min: 250, max: 2000, quietMax: REST_WHILE_LOOKED_MS },
    wakeOn: (wake) => context.lookout.subscribe('overdueItems', wake),
    run: standingBy({
      duty: context.timersDuty,
      everyMs: STANDBY_MS,
      now: context.now,
      run: () => context.scheduling.expireQueued({ limit: ROUND_MAX }),
    }),
  };
}

const ROUND_MAX = 100;
const STANDBY_MS = 30_000;
