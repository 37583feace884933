import type { ChaosRun } from '../chaos/run-chaos.ts';
import type { Violation } from '../invariants/violation.ts';

/** Each rule that a stale read breaks, and the name of the read in its violations. */
const RULES: Readonly<Record<string, string>> = {
  'a later request finds every started execution': 'look',
  'a pause stays until a request ends it': 'read',
  'a later read shows every acknowledged change': 'read',
  'a later read shows no less': 'later',
  'a later read of events is never shorter': 'later',
};
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
    const name = RULES[rule];
    if (name === undefined) return false;
    const look = run.operations.find(({ begun }) => begun === about?.[name]);
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
