import { usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { withRetention, type RetentionOptions } from '../../cli/retention-request.ts';

/** Reads the whole table once, which holds nobody up; the rest takes milliseconds. */
export async function partition(
  options: RetentionOptions & { readonly days: number },
): Promise<void> {
  const { days } = options;
  if (options.output !== 'json') {
    printNote('reading through all events; nobody waits for it, and it can be broken off');
  }
  const outcome = await withRetention(options, ({ retention }) =>
    retention.partitionEvents({ days }),
  );
  if (outcome === 'unsupported') {
    throw usageError(
      'partitions are for PostgreSQL: on SQLite events of removed executions are deleted',
    );
  }
  if (options.output === 'json')
    return printJson({ partitioned: true, changed: outcome === 'done' });
  printLine(
    outcome === 'done'
      ? `events are kept in partitions of ${days} days from the day after tomorrow on`
      : 'events are kept in partitions already',
  );
}
