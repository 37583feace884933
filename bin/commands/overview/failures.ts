import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export type FailureOptions = ClientOptions & {
  readonly within?: number;
  readonly workflow?: string;
};

/** Prints each cause with the latest execution that it hit. */
export async function listFailures(options: FailureOptions): Promise<void> {
  const answer = await connectClient(options).listFailures({
    within_hours: options.within ?? null,
    workflow_id: options.workflow ?? null,
  });
  if (options.output === 'json') return printJson(answer);
  if (answer.groups.length > 0) {
    printTable({
      head: ['COUNT', 'WHAT', 'WORKFLOW', 'NODE', 'TOOL', 'LAST', 'LATEST EXECUTION', 'CAUSE'],
      rows: answer.groups.map((one) => [
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
  if (!answer.is_exact) printNote('there were more failures than were read');
}
