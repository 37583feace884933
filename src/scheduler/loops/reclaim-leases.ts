import { standingBy } from '../duty.ts';
import { LOOK_MS, REST_WHILE_LOOKED_MS } from './look-around.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Takes back leases that lapsed; sooner after the lapse where leases are short. */
export function reclaimLeases(context: LoopContext): LoopDefinition {
  const { scheduling, settings } = context;
  const max = Math.min(2000, Math.max(100, settings.leaseMs / 10));
  return {
    name: 'reclaim-leases',
    part: 'work',
    restMs: { min: 100, max, quietMax: quietMaxFor(settings.leaseMs, max) },
    wakeOn: (wake) => context.lookout.subscribe('lapsedLeases', wake),
    run: standingBy({
      duty: context.timersDuty,
      everyMs: STANDBY_MS,
      now: context.now,
      run: () => scheduling.reclaimLeases({ limit: ROUND_MAX }),
    }),
  };
}

/** The look around comes too seldom for short leases. */
function quietMaxFor(leaseMs: number, max: number): number {
  return leaseMs / 3 >= LOOK_MS ? REST_WHILE_LOOKED_MS : Math.max(max, leaseMs / 3);
}

const ROUND_MAX = 100;
const STANDBY_MS = 30_000;
