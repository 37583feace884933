import { parseDocument, parseJsonText } from '../../src/shared/documents/parse-document.ts';
import { type DocumentFormat, guessFormat } from '../../src/shared/domain/document.ts';
import type { JsonValue } from '../../src/shared/domain/json.ts';
import { usageError } from './exit-code.ts';
import { readText } from './read-text.ts';

export interface SourceDocument {
  /** Its name in messages: the file's name, or `stdin`. */
  readonly name: string;
  readonly value: JsonValue;
  /** Line, from 1, of the value a JSON pointer leads to, or of its nearest ancestor. */
  lineOf(pointer: string): number;
}

/**
 * Reads a JSON or YAML file (`-`: stdin). The format follows the name's ending; without a telling
 * one, a text that begins with a brace or a bracket is JSON. Text that is neither ends the command
 * as a usage error with line and column.
 */
export async function readDocument(file: string): Promise<SourceDocument> {
  const { name, text } = await readText(file);
  const format = formatOf(name, text);
  const read = parseDocument(text, format);
  if (!read.ok) throw refuse(name, format, read.fault);
  return { name, value: read.value, lineOf: (pointer) => read.placeOf(pointer).line };
}

/** Reads the text of a JSON option; `what` names it in messages. */
export function parseJson(what: string, text: string): JsonValue {
  const read = parseJsonText(text);
  if (!read.ok) throw refuse(what, 'json', read.fault);
  return read.value;
}

function formatOf(name: string, text: string): DocumentFormat {
  if (/\.json$/i.test(name)) return 'json';
  return /\.ya?ml$/i.test(name) ? 'yaml' : guessFormat(text);
}

type Fault = Extract<ReturnType<typeof parseDocument>, { ok: false }>['fault'];

function refuse(what: string, format: DocumentFormat, fault: Fault): Error {
  const { place, message, cause } = fault;
  if (place === null) return usageError(`${what} cannot be read: ${message}`, cause);
  const { line, column } = place;
  const name = format.toUpperCase();
  return usageError(`${what} is not ${name} at line ${line}, column ${column}: ${message}`, cause);
}
