import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printList } from '../../cli/lists/print-list.ts';

export async function listForks(executionId: string, options: ClientOptions): Promise<void> {
  const answer = await connectClient(options).listForks(executionId);
  if (options.output === 'json') return printJson(answer);
  printList({
    member: 'forks',
    head: ['EXECUTION', 'STATUS', 'AFTER', 'NODE', 'FORKED', 'BY'],
    rows: answer.forks.map((fork) => [
      fork.execution_id,
      fork.status,
      fork.sequence,
      fork.node_id,
      fork.forked_at,
      fork.actor_id,
    ]),
  });
  if (answer.next_cursor !== null) printNote('there are more forks');
}
