import { partitionEvents } from '../../../src/shared/engine/retention/partitions.ts';
import { usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { withRetention, type RetentionOptions } from '../../cli/retention-request.ts';

/** Reads the whole table once, which holds nobody up; the rest takes milliseconds. */
export async function partition(
  options: RetentionOptions & { readonly days: number },
): Promise<void> {
  const { days } = options;
  if (options.output !== 'json') {
    printNote('reading all events; this blocks no request, and you can interrupt it');
  }
  const outcome = await withRetention(options, (store) => partitionEvents({ store }, { days }));
  if (outcome === 'unsupported') {
    throw usageError('partitions need PostgreSQL: SQLite deletes the events of removed executions');
  }
  if (options.output === 'json')
    return printJson({ partitioned: true, changed: outcome === 'done' });
  printLine(
    outcome === 'done'
      ? `from the day after tomorrow, events go into partitions of ${days} days`
      : 'events are already in partitions',
  );
}
