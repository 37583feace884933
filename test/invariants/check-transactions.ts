import { byExecution } from './check-histories.ts';
import type { Dump } from './dump.ts';
import { violations, type Violation } from './violation.ts';

/** What is one change is one transaction: where the store says which wrote a row, it is the same. */
export function checkTransactions(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const calls = dump.events.filter(({ kind }) => kind === 'ToolCallCompleted');
  return [
    ...violations(
      'a result is recorded in the transaction that tells of it',
      dump.recorded_outputs,
      (row) => {
        const event = events.get(row.execution_id)?.[(row.event_sequence ?? 0) - 1];
        if (row.event_sequence === null || event?.written_in === row.written_in) return null;
        return {
          about: { execution: row.execution_id, key: row.idempotency_key },
          saw: `recorded in ${row.written_in}, event ${row.event_sequence} in ${event?.written_in}`,
        };
      },
    ),
    ...violations('a settle and its result are one transaction', calls, (call) => {
      const result = events.get(call.execution_id)?.[call.sequence];
      const isOne = result?.kind === 'NodeCompleted' && result.written_in === call.written_in;
      if (isOne) return null;
      return {
        about: { execution: call.execution_id, sequence: call.sequence },
        saw: `followed by ${result?.kind ?? 'nothing'}, in ${result?.written_in}`,
      };
    }),
  ];
}
