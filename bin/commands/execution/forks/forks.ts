import type { WireForks } from '../../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../../cli/client.ts';
import { printPages, type PageOptions } from '../../../cli/lists/pages.ts';
import { printTable } from '../../../cli/print-table.ts';

export async function listForks(
  executionId: string,
  options: ClientOptions & PageOptions,
): Promise<void> {
  const client = connectClient(options);
  await printPages(options, {
    read: (page) => client.listForks(executionId, page),
    member: 'forks',
    print: ({ forks }) => printForks(forks),
  });
}

function printForks(forks: WireForks['forks']): void {
  printTable({
    head: ['EXECUTION', 'STATUS', 'AFTER', 'NODE', 'FORKED', 'BY'],
    rows: forks.map((fork) => [
      fork.execution_id,
      fork.status,
      fork.sequence,
      fork.node_id,
      fork.forked_at,
      fork.actor_id,
    ]),
  });
}
