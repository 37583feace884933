import type {
  WireFailures,
  WireFailuresOfGroup,
} from '../../../src/shared/clients/svc/overview-wire.ts';
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
  const exactness = new Exactness();
  await printPages(options, {
    read: async (page) =>
      exactness.heed(await client.listFailures({ ...filterOf(options), ...page })),
    member: 'groups',
    print: ({ groups }) => printGroups(groups),
  });
  if (!exactness.isExact && options.output !== 'json')
    printNote('there may be more failures than were read: counts are lower bounds');
}

/** Prints all failures of one cause, the latest first. */
export async function showFailures(groupId: string, options: FailureOptions): Promise<void> {
  const client = connectClient(options);
  const exactness = new Exactness();
  await printPages(options, {
    read: async (page) =>
      exactness.heed(await client.listFailuresOfGroup(groupId, { ...filterOf(options), ...page })),
    member: 'failures',
    print: ({ failures }) => printFailures(failures),
  });
  if (!exactness.isExact && options.output !== 'json')
    printNote('there may be more failures than were read: the list may lack older ones');
}

function filterOf({ within, workflow, query }: FailureOptions) {
  return { within_hours: within ?? null, workflow_id: workflow ?? null, q: query ?? null };
}

/** Whether all pages of a list saw all failures. */
class Exactness {
  isExact = true;

  heed<Answer extends { readonly is_exact: boolean }>(answer: Answer): Answer {
    this.isExact &&= answer.is_exact;
    return answer;
  }
}

function printFailures(failures: WireFailuresOfGroup['failures']): void {
  printTable({
    head: ['FAILED', 'EXECUTION', 'WORK ITEM', 'ENDED', 'ERROR'],
    rows: failures.map((one) => [
      one.failed_at,
      one.execution_id,
      one.work_item_id,
      one.live ? 'no' : 'yes',
      one.error,
    ]),
  });
}

function printGroups(groups: WireFailures['groups']): void {
  printTable({
    head: [
      'GROUP',
      'COUNT',
      'WHAT',
      'WORKFLOW',
      'NODE',
      'TOOL',
      'LAST',
      'LATEST EXECUTION',
      'CAUSE',
    ],
    rows: groups.map((one) => [
      one.id,
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
