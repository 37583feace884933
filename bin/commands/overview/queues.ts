import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printList } from '../../cli/lists/print-list.ts';

/** Prints what waits and what is leased by queue and tool, and how many workers serve each. */
export async function listQueues(options: ClientOptions): Promise<void> {
  const answer = await connectClient(options).listQueues();
  if (options.output === 'json') return printJson(answer);
  const { queues } = answer;
  printList({
    member: 'queues',
    head: ['TYPE', 'QUEUE', 'TOOL', 'WAITING', 'OLDEST', 'LEASED', 'DEAD LETTERS', 'WORKERS'],
    rows: queues.map((one) => [
      one.queue_type,
      one.queue,
      one.tool,
      one.waiting,
      one.oldest_at,
      one.leased,
      one.failed_last_hour,
      one.served_by.length,
    ]),
  });
  if (!answer.is_exact) printNote('there are more items than were counted');
  const unserved = queues.filter((one) => one.waiting > 0 && one.served_by.length === 0);
  if (unserved.length > 0) {
    printNote(`no worker claims: ${[...new Set(unserved.map(({ tool }) => tool))].join(', ')}`);
  }
}
