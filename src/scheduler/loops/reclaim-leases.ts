import { standingBy } from '../duty.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Takes back leases that lapsed; sooner after the lapse where leases are short. */
export function reclaimLeases(context: LoopContext): LoopDefinition {
  const { scheduling, settings } = context;
  const max = Math.min(2000, Math.max(100, settings.leaseMs / 10));
  return {
    name: 'reclaim-leases',
    part: 'work',
    restMs: { min: 100, max, quietMax: Math.min(10_000, Math.max(max, settings.leaseMs / 3)) },
    run: standingBy({
      duty: context.timersDuty,
      everyMs: STANDBY_MS,
      now: context.now,
      run: () => scheduling.reclaimLeases({ limit: ROUND_MAX }),
    }),
  };
}

const ROUND_MAX = 100;
const STANDBY_MS = 30_000;
