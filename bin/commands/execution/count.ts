import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export type CountOptions = ClientOptions & {
  readonly workflow?: string;
  readonly query?: string;
  readonly by?: string;
};

/** Prints how many executions of each status, or of each group, there are. */
export async function countExecutions(options: CountOptions): Promise<void> {
  const answer = await connectClient(options).countExecutions({
    workflow_id: options.workflow ?? null,
    q: options.query ?? null,
    ...(options.by !== undefined && { group_by: options.by }),
  });
  if (options.output === 'json') return printJson(answer);
  const counts =
    answer.groups?.map(({ value, count }) => [value ?? '-', String(count)]) ??
    Object.entries(answer.by_status).map(([status, count]) => [status, String(count)]);
  printTable({
    head: [options.by?.toUpperCase() ?? 'STATUS', 'EXECUTIONS'],
    rows: [...counts, ['total', String(answer.total)]],
  });
  if (!answer.is_exact) printNote('there are more executions: only the newest were counted');
}
