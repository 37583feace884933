import type { Dump } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** A message at a receiver, in the order of arrival. */
export interface Receipt {
  /** The `seq` of its row in `webhook_deliveries`. */
  readonly seq: number;
  /** The status that the receiver answered, even if the answer was lost. */
  readonly status: number;
  /** Whether the secret of its webhook signed it; absent: the receiver has no secret. */
  readonly isSigned?: boolean;
}

/** Every message reaches its webhook at least once, in order for each execution. */
export function checkWebhooks(dump: Dump, receipts: readonly Receipt[]): Violation[] {
  const deliveries = dump.webhook_deliveries ?? [];
  const taken = new Map<number, number>();
  const first = new Map<number, number>();
  for (const [place, { seq, status }] of receipts.entries()) {
    if (!first.has(seq)) first.set(seq, place);
    if (status < 300 && !taken.has(seq)) taken.set(seq, place);
  }
  const byExecution = Map.groupBy(deliveries, (row) => `${row.webhook_id} ${row.execution_id}`);
  const pairs = [...byExecution.values()].flatMap((rows) =>
    rows.slice(1).map((row, index) => ({ row, before: rows[index] ?? row })),
  );
  return [
    ...violations('a message arrives', deliveries, (row) => {
      if (row.status === 'delivered' && taken.has(row.seq)) return null;
      const arrived = first.has(row.seq) ? 'arrived, but was not taken' : 'never arrived';
      return {
        about: { message: row.seq, type: row.event_type },
        saw: `${row.status}; ${arrived}`,
      };
    }),
    ...violations('messages of an execution arrive in order', pairs, ({ row, before }) => {
      const at = first.get(row.seq);
      const due = taken.get(before.seq);
      if (at === undefined || (due !== undefined && due < at)) return null;
      return {
        about: { execution: row.execution_id, message: row.seq, before: before.seq },
        saw: `${row.event_type} arrived before ${before.event_type} was taken`,
      };
    }),
    ...violations('a message is signed with the secret of its webhook', receipts, (receipt) =>
      receipt.isSigned === false ? { about: { message: receipt.seq }, saw: 'it is not' } : null,
    ),
    ...checkTold(dump),
  ];
}

/** Every webhook exists from the beginning, and learns of each end in its tenant once. */
function checkTold(dump: Dump): Violation[] {
  const deliveries = dump.webhook_deliveries ?? [];
  const hooks = new Map(deliveries.map((row) => [row.webhook_id, row.tenant_id]));
  const told = new Map<string, number>();
  for (const { webhook_id: hook, execution_id: id, event_type: type } of deliveries) {
    const name = `${hook} ${id} ${type}`;
    told.set(name, (told.get(name) ?? 0) + 1);
  }
  const due = [...hooks].flatMap(([hook, tenant]) =>
    dump.executions
      .filter((row) => row.tenant_id === tenant)
      .flatMap(({ id, status }) =>
        status in ENDS ? [{ id, type: `execution.${status}`, hook }] : [],
      ),
  );
  return violations('a webhook reports the end of an execution once', due, ({ id, type, hook }) => {
    const times = told.get(`${hook} ${id} ${type}`) ?? 0;
    return times === 1 ? null : { about: { execution: id, type }, saw: `told ${times} times` };
  });
}

const ENDS = { completed: true, failed: true, cancelled: true };
