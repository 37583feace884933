import { checkInvariants } from '../../invariants/check-invariants.ts';
import type { Violation } from '../../invariants/violation.ts';
import { TENANTS } from '../clients/tenants.ts';
import type { CheckParams } from '../types.ts';

/**
 * All that must hold of a run: what clients were answered, against the whole database after the final
 * operations.
 */
export function checkRun({ history, dump, wellSince }: CheckParams): readonly Violation[] {
  const deeds = history.deeds.toSorted((one, other) => one.begun - other.begun);
  return checkInvariants({ history: { deeds }, dumps: [dump], wellSince, limits: LIMITS });
}

const LIMITS: Readonly<Record<string, number>> = Object.fromEntries(
  TENANTS.flatMap(({ tenantId, executionsMax }) =>
    executionsMax === null ? [] : [[tenantId, executionsMax]],
  ),
);
