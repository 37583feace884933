import type { WireFailures } from '../../../src/shared/clients/svc/overview-wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printPages, type PageOptions } from '../../cli/lists/pages.ts';
import { printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export type FailureOptions = ClientOptions &
  PageOptions & {
    readonly within?: number;
    readonly workflow?: string;
    readonly query?: string;
  };

/** Prints each cause with the latest execution that it hit. */
export async function listFailures(options: FailureOptions): Promise<void> {
  const client = connectClient(options);
  const filter = {
    within_hours: options.within ?? null,
    workflow_id: options.workflow ?? null,
    q: options.query ?? null,
  };
  let isExact = true;
  await printPages(options, {
    read: async (page) => {
      const answer = await client.listFailures({ ...filter, ...page });
      isExact &&= answer.is_exact;
      return answer;
    },
    member: 'groups',
    print: ({ groups }) => printGroups(groups),
  });
  if (!isExact && options.output !== 'json')
    printNote('there were more failures than were read: counts are lower bounds');
}

function printGroups(groups: WireFailures['groups']): void {
  printTable({
    head: ['COUNT', 'WHAT', 'WORKFLOW', 'NODE', 'TOOL', 'LAST', 'LATEST EXECUTION', 'CAUSE'],
    rows: groups.map((one) => [
      one.count,
      one.kind === 'execution' ? 'execution' : 'dead letter',
      one.workflow_id,
      one.node_id,
      one.tool,
      one.last_at,
      one.members[0]?.execution_id,
      one.cause,
    ]),
  });
}
