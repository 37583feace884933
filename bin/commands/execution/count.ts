import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export type CountOptions = ClientOptions & {
  readonly workflow?: string;
  readonly query?: string;
};

/** Prints how many executions of each status there are. */
export async function countExecutions(options: CountOptions): Promise<void> {
  const answer = await connectClient(options).countExecutions({
    workflow_id: options.workflow ?? null,
    q: options.query ?? null,
  });
  if (options.output === 'json') return printJson(answer);
  printTable({
    head: ['STATUS', 'EXECUTIONS'],
    rows: [
      ...Object.entries(answer.by_status).map(([status, count]) => [status, String(count)]),
      ['total', String(answer.total)],
    ],
  });
  if (!answer.is_exact) printNote('there are more executions: only the newest were counted');
}
