import { checkInvariants } from '../../invariants/check-invariants.ts';
import type { Dump } from '../../invariants/dump.ts';
import { violations, type Violation } from '../../invariants/violation.ts';
import { TENANTS } from '../clients/tenants.ts';
import type { CheckParams } from '../types.ts';

/**
 * Checks every rule of a run: the answers that clients got, against the whole database after the
 * final operations.
 */
export function checkRun(params: CheckParams): readonly Violation[] {
  const { history, dump, seen, wellSince, arrivals = [] } = params;
  const seqs = new Map(
    (dump.webhook_deliveries ?? []).map(({ delivery_id: id, seq }) => [id, seq]),
  );
  const receipts = arrivals.flatMap(({ deliveryId, ...arrival }) => {
    const seq = seqs.get(deliveryId);
    return seq === undefined ? [] : [{ ...arrival, seq }];
  });
  const deeds = history.deeds.toSorted((one, other) => one.begun - other.begun);
  const dumps = seen === undefined ? [dump] : [seen, dump];
  return [
    ...checkInvariants({
      history: { ...history, deeds },
      dumps,
      wellSince,
      limits: LIMITS,
      receipts,
    }),
    ...violations('a message that arrives is recorded', arrivals, ({ deliveryId }) =>
      seqs.has(deliveryId) ? null : { about: { message: deliveryId }, saw: 'there is no row' },
    ),
    ...checkAged(dump, seen),
  ];
}

/** Executions that the run has not aged are only minutes old, so retention must keep them. */
function checkAged(dump: Dump, seen: Dump | undefined): readonly Violation[] {
  const aged = new Set(seen?.executions.map(({ id }) => id));
  return violations(
    'retention removes only due executions',
    dump.retired_executions ?? [],
    (row) =>
      aged.has(row.execution_id)
        ? null
        : { about: { execution: row.execution_id }, saw: 'it was removed within minutes' },
  );
}

const LIMITS: Readonly<Record<string, number>> = Object.fromEntries(
  TENANTS.flatMap(({ tenantId, executionsMax }) =>
    executionsMax === null ? [] : [[tenantId, executionsMax]],
  ),
);
