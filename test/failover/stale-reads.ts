import type { ChaosRun } from '../chaos/run-chaos.ts';
import type { Violation } from '../invariants/violation.ts';

const RULE = 'a later request finds every started execution';
const FAULTS = ['primary-partitioned', 'primary-frozen'];

/**
 * A replaced primary that still runs answers reads from before its replacement, until its clients
 * notice it. It confirms no write. Fencing by the failover tool prevents that; this run has none.
 */
export function partStaleReads(run: ChaosRun): {
  readonly violations: readonly Violation[];
  readonly staleReads: number;
} {
  const isStale = ({ rule, about }: Violation): boolean => {
    if (rule !== RULE) return false;
    const look = run.operations.find(({ begun }) => begun === about?.['look']);
    return run.strikes.some(
      ({ fault, firedAtMs, healedAtMs }) =>
        FAULTS.includes(fault) &&
        look !== undefined &&
        look.beganAtMs <= (healedAtMs ?? Infinity) &&
        (look.endedAtMs ?? Infinity) >= firedAtMs,
    );
  };
  return {
    violations: run.violations.filter((violation) => !isStale(violation)),
    staleReads: run.violations.filter(isStale).length,
  };
}
