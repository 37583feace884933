import type { WireBulk } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export type BulkOptions = ClientOptions & {
  readonly workflow?: string;
  readonly status?: string;
  readonly parent?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly query?: string;
  readonly reason?: string;
  readonly limit?: number;
  readonly yes?: boolean;
};

const SHOWN = 20;
const AT_ONCE = 100;

/** Acts only with `--yes`. Broken off, it is simply run again: what is done is done no second time. */
export async function bulkExecutions(action: string, options: BulkOptions): Promise<void> {
  const request = {
    action,
    filter: {
      workflow_id: options.workflow ?? null,
      status: options.status ?? null,
      parent_execution_id: options.parent ?? null,
      created_after: options.createdAfter ?? null,
      created_before: options.createdBefore ?? null,
      q: options.query ?? null,
    },
    reason: options.reason ?? null,
  };
  const client = connectClient(options);
  if (options.yes !== true) {
    return preview(action, options, await client.bulkExecutions({ ...request, ...PREVIEW }));
  }
  const refused: WireBulk['results'][number][] = [];
  let done = 0;
  let cursor: string | null = null;
  do {
    const max = Math.min(AT_ONCE, (options.limit ?? Infinity) - done - refused.length);
    if (max <= 0) break;
    const answer: WireBulk = await client.bulkExecutions({ ...request, max, cursor });
    done += answer.results.filter(({ outcome }) => outcome === 'done').length;
    refused.push(...answer.results.filter(({ outcome }) => outcome !== 'done'));
    cursor = answer.next_cursor;
    if (cursor !== null) printNote(`${action}: ${done} done, ${refused.length} refused so far`);
  } while (cursor !== null);
  if (options.output === 'json') return printJson({ action, done, refused });
  if (refused.length > 0) {
    printTable({
      head: ['EXECUTION', 'REFUSED BECAUSE'],
      rows: refused.map(({ execution_id: id, error }) => [id, error]),
    });
  }
  printLine(`${action}: ${done} done, ${refused.length} refused`);
}

const PREVIEW = { dry_run: true, max: SHOWN };

function preview(action: string, options: BulkOptions, answer: WireBulk): void {
  if (options.output === 'json') {
    const { results, total, total_is_exact } = answer;
    return printJson({ action, preview: true, total, total_is_exact, sample: results });
  }
  if (answer.results.length > 0) {
    printTable({
      head: ['EXECUTION', 'WORKFLOW', 'STATUS', 'CREATED'],
      rows: answer.results.map((row) => [
        row.execution_id,
        row.workflow_id,
        row.status,
        row.created_at,
      ]),
    });
  }
  const total = `${answer.total_is_exact ? '' : 'more than '}${answer.total ?? 0}`;
  printNote(`${total} executions match: add --yes to ${action} them`);
}
