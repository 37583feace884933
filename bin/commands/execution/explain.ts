import { asTyped } from '../../cli/as-typed.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printFields, printJson, printLine, printNote } from '../../cli/output.ts';
import { tellEnding } from './tell-end.ts';
import { tellRemedy } from './tell-remedy.ts';
import { printTable } from '../../cli/print-table.ts';

/**
 * Prints the blockers of an execution, most serious first, each with the action that would unblock
 * it.
 */
export async function explainExecution(executionId: string, options: ClientOptions): Promise<void> {
  const explained = await connectClient(options).explainExecution(executionId);
  if (options.output === 'json') return printJson(explained);
  const { blockers, ended } = explained;
  printFields({
    execution: explained.execution_id,
    status: explained.status,
    moving: ended === null ? (explained.moving ? 'yes' : 'no') : null,
    'next wake-up': explained.next_wake_up,
    'ends as': tellEnding(explained),
    ended: ended?.at,
    by: ended?.actor_id,
    why: ended?.message ?? blockers[0]?.message,
    class: ended?.error_class,
    node: ended?.node_id,
    'unblocked by': blockers[0] && asTyped(tellRemedy(blockers[0], explained.execution_id)),
  });
  if (blockers.length === 0) return;
  printLine('');
  printTable({
    head: ['CODE', 'NODE', 'SINCE', 'UNTIL', 'WHY'],
    rows: blockers.map((blocker) => [
      blocker.code,
      blocker.node_id,
      blocker.since,
      blocker.until,
      blocker.message,
    ]),
  });
  const left = explained.blockers_total - blockers.length;
  if (left > 0) printNote(`${left} more`);
}
