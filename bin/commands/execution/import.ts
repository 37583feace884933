import {
  ArchiveProblem,
  isArchive,
  readArchive,
} from '../../../src/shared/clients/archive/read-archive.ts';
import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { ApiError } from '../../../src/shared/clients/svc/request.ts';
import type { WireImported } from '../../../src/shared/clients/svc/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError, usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { readText } from '../../cli/read-text.ts';

/** The result of one document: an answer, or the reason of its refusal. */
type Result = WireImported | { readonly execution_id: string; readonly error: string };

/** An export, or an archive with a document on each line; those that are refused hold up nothing else. */
export async function importExecutions(
  file: string,
  options: ClientOptions & { readonly execution?: string },
): Promise<void> {
  const client = connectClient(options);
  const results: Result[] = [];
  try {
    for await (const document of readDocuments(file)) {
      const id = idOf(document);
      if (options.execution !== undefined && id !== options.execution) continue;
      const result = await importOne(client, document);
      results.push(result);
      if (options.output !== 'json') printResult(result);
    }
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new CliError(error.message, { cause: error });
    throw error;
  }
  if (options.output === 'json') printJson({ results });
  const refused = results.filter((result) => 'error' in result);
  if (refused.length > 0) {
    const [first] = refused;
    const told =
      refused.length === 1 ? '' : `${refused.length} of ${results.length} not imported; `;
    throw new CliError(`${told}${first?.execution_id}: ${first?.error}`);
  }
  if (results.length > 0) return;
  if (options.execution === undefined) throw new CliError(`${file} contains no execution`);
  throw new CliError(`${file} does not contain ${options.execution}`);
}

async function* readDocuments(file: string): AsyncGenerator<JsonObject> {
  if (isArchive(file)) {
    yield* readArchive(file);
    return;
  }
  const { name, text } = await readText(file);
  let document: JsonValue = null;
  try {
    document = JSON.parse(text) as JsonValue;
  } catch {
    // As with anything else that is no object.
  }
  if (!isJsonObject(document)) {
    throw usageError(
      `${name} is not an exported execution: expected a JSON object, or an archive named .jsonl.gz`,
    );
  }
  yield document;
}

async function importOne(client: SvcClient, document: JsonObject): Promise<Result> {
  try {
    return await client.importExecution(document);
  } catch (error) {
    // Another document may fare better; another token, or none, would not.
    if (!(error instanceof ApiError) || !REFUSALS.has(error.status)) throw error;
    return { execution_id: idOf(document), error: error.message };
  }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 409, 413]);

function printResult(result: Result): void {
  const { execution_id: id } = result;
  if ('error' in result) return printNote(`${id}: ${result.error}`);
  const { events, missing_artifacts: missing } = result;
  const done = result.restored ? 'is restored' : result.imported ? 'is imported' : 'exists already';
  printLine(`${id} ${done}, ${result.status}, with ${events} events`);
  for (const hash of missing) {
    printNote(
      `its artifact ${hash} is missing from the file and from this runtime: upload it with POST /artifacts`,
    );
  }
}

function idOf({ execution = null }: JsonObject): string {
  const id = isJsonObject(execution) ? execution['execution_id'] : null;
  return typeof id === 'string' ? id : 'a document without an id';
}
