import { writeFile } from 'node:fs/promises';

import { hashJson } from '../../../src/shared/domain/canonical-json.ts';
import { EXECUTION_FORMAT } from '../../../src/shared/domain/execution/document/execution-document.ts';
import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError } from '../../cli/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../../cli/output.ts';
import { readText } from '../../cli/read-text.ts';

/** Never overwrites a file: an export may be the only remaining copy. */
export async function exportExecution(
  executionId: string,
  options: ClientOptions & { readonly file?: string },
): Promise<void> {
  const document = await connectClient(options).exportExecution(executionId);
  if (options.file === undefined) return printJson(document);
  try {
    await writeFile(options.file, `${JSON.stringify(document)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CliError(`"${options.file}" exists already: name a new file`);
  }
  const events = Array.isArray(document['events']) ? document['events'].length : 0;
  if (options.output === 'json') printJson({ file: options.file, sha256: document['sha256'] });
  else printLine(`${executionId} with ${events} events is in ${options.file}`);
}

/** Whether the file is as it was written; exit code 1 when it is not. */
export async function checkExport(
  file: string,
  options: { readonly output: OutputFormat },
): Promise<void> {
  const { text } = await readText(file);
  const problems = findProblems(parse(text));
  if (options.output === 'json') printJson({ file, intact: problems.length === 0, problems });
  else if (problems.length === 0) printLine(`${file} is intact`);
  if (problems.length > 0) throw new CliError(`${file} is not intact: ${problems.join('; ')}`);
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function findProblems(document: JsonValue): readonly string[] {
  if (!isJsonObject(document)) return ['it is not a JSON object'];
  const { sha256 = null, ...rest } = document;
  if (rest['format'] !== EXECUTION_FORMAT) return [`its format is not ${EXECUTION_FORMAT}`];
  const problems: string[] = [];
  if (hashJson(rest) !== sha256) problems.push('its hash does not match its content');
  const { events = null, execution = null } = rest;
  const sequences = Array.isArray(events)
    ? events.map((event: JsonValue) => (isJsonObject(event) ? event['sequence'] : null))
    : [];
  if (sequences.some((sequence, index) => sequence !== index + 1)) {
    problems.push('its events have gaps');
  }
  const last = isJsonObject(execution) ? execution['last_sequence'] : null;
  if (last !== sequences.length) problems.push('events are missing at its end');
  return problems;
}
