import { byExecution } from './check-histories.ts';
import type { Dump } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** One change is one transaction, where the store records the transaction of each row. */
export function checkTransactions(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const calls = dump.events.filter(({ kind }) => kind === 'ToolCallCompleted');
  const children = dump.events.filter(({ kind }) => kind === 'ChildWorkflowStarted');
  return [
    ...violations('a start and its key are one transaction', dump.request_keys, (row) => {
      const first = events.get(row.execution_id)?.[0];
      if (first !== undefined && first.written_in === row.written_in) return null;
      return {
        about: { execution: row.execution_id, key: row.key },
        saw: `the key was written in ${row.written_in}, the start in ${first?.written_in}`,
      };
    }),
    ...violations('a child begins in the transaction that records it', children, (event) => {
      const { child_execution_id: child } = event.payload as { child_execution_id?: string };
      const first = events.get(child ?? '')?.[0];
      if (first !== undefined && first.written_in === event.written_in) return null;
      return {
        about: { execution: event.execution_id, sequence: event.sequence },
        saw: `told in ${event.written_in}, the child began in ${first?.written_in}`,
      };
    }),
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
