import { NOTHING } from '../loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** Renews the leases of in-engine items that run here; it continues while the process drains. */
export function renewOwnLeases({ scheduling, settings }: LoopContext): LoopDefinition {
  const everyMs = settings.leaseMs / 4;
  return {
    name: 'renew-own-leases',
    part: 'upkeep',
    restMs: { min: everyMs, max: everyMs },
    // Two more tries at least before the lease lapses.
    errorMsMax: Math.min(5000, everyMs),
    run: async () => (scheduling.underWay() === 0 ? NOTHING : scheduling.renewOwnLeases()),
  };
}
