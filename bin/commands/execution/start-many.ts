import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Row } from '../../../src/shared/evaluation/make-case.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError, usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { readRows } from '../eval/read-rows.ts';

export type StartManyOptions = ClientOptions & {
  readonly workflow?: string;
  readonly idempotencyKey?: string;
};

/** A line of the file: an entry to send, or why it is none. */
type Line = { readonly line: number } & (
  { readonly entry: JsonObject } | { readonly error: string }
);

type Result = { readonly line: number } & (
  { readonly execution_id: string } | { readonly error: string }
);

const BATCH_LINES_MAX = 1_000;
/** At most three bytes each: below the service's limit of a body. */
const BATCH_CHARACTERS_MAX = 4_000_000;

/** Lines that are refused hold up nothing else. Run again under the same keys, it starts nothing twice. */
export async function startManyExecutions(file: string, options: StartManyOptions): Promise<void> {
  const client = connectClient(options);
  const results: Result[] = [];
  try {
    for await (const batch of inBatches(readLines(file, options))) {
      const last = results.at(-1);
      if (last !== undefined) printNote(`start-many: lines 1 to ${last.line} have their results`);
      const found = await startBatch(client, batch);
      results.push(...found);
      if (options.output !== 'json') found.forEach(printResult);
    }
  } finally {
    // Also if a batch got no answer: the earlier ones have started.
    if (options.output === 'json' && results.length > 0) printJson(summarize(results));
  }
  const { refused } = summarize(results);
  if (refused > 0) throw new CliError(`${refused} of ${results.length} lines not started`);
  if (results.length === 0) throw usageError(`${file === '-' ? 'stdin' : file} has no lines`);
}

function summarize(results: readonly Result[]) {
  const refused = results.filter((result) => 'error' in result).length;
  return { started: results.length - refused, refused, results };
}

function printResult(result: Result): void {
  if ('error' in result) printNote(`line ${result.line}: ${result.error}`);
  else printLine(result.execution_id);
}

async function startBatch(client: SvcClient, batch: readonly Line[]): Promise<readonly Result[]> {
  const entries = batch.flatMap((line) => ('entry' in line ? [line.entry] : []));
  const verdicts = entries.length === 0 ? [] : (await client.startExecutions(entries)).results;
  const next = verdicts.values();
  return batch.map((of): Result => {
    const { line } = of;
    if ('error' in of) return { line, error: of.error };
    const { execution_id: id, error } = next.next().value ?? {};
    if (error === undefined && id !== undefined) return { line, execution_id: id };
    return { line, error: error ?? 'the runtime gave no result' };
  });
}

async function* inBatches(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  let characters = 0;
  for await (const line of lines) {
    const size = JSON.stringify(line).length;
    const isFull = batch.length >= BATCH_LINES_MAX || characters + size > BATCH_CHARACTERS_MAX;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(line);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

async function* readLines(file: string, options: StartManyOptions): AsyncGenerator<Line> {
  for await (const row of readRows(file, 'jsonl')) {
    const { line } = row;
    if (row.ok) yield { line, entry: completeEntry(row, options) };
    else yield { line, error: `the line ${row.problem}` };
  }
}

function completeEntry(
  { line, value }: Extract<Row, { readonly ok: true }>,
  { workflow, idempotencyKey }: StartManyOptions,
): JsonObject {
  return {
    ...(workflow !== undefined && { workflow_id: workflow }),
    ...(idempotencyKey !== undefined && { idempotency_key: `${idempotencyKey}-${line}` }),
    ...value,
  };
}
