import { LineCounter, parseDocument } from 'yaml';

import type { JsonValue } from '../../src/shared/domain/json.ts';
import { usageError } from './exit-code.ts';
import { locateJsonError } from './locate-json-error.ts';
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
  const value = isJson(name, text) ? parseJson(name, text) : parseYaml(name, text);
  let finder: ((pointer: string) => number) | null = null;
  return { name, value, lineOf: (pointer) => (finder ??= createLineFinder(text))(pointer) };
}

/** Reads the text of a JSON option; `what` names it in messages. */
export function parseJson(what: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const { line, column } = locateJsonError(text);
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `${what} is not JSON at line ${line}, column ${column}: ${shorten(reason)}`,
      error,
    );
  }
}

function isJson(name: string, text: string): boolean {
  if (/\.json$/i.test(name)) return true;
  return !/\.ya?ml$/i.test(name) && /^\s*[{[]/.test(text);
}

function parseYaml(name: string, text: string): JsonValue {
  const document = readYaml(text, { prettyErrors: true });
  if (document === null) throw usageError(`${name} cannot be read: it is nested too deeply`);
  const [problem] = document.errors;
  if (problem !== undefined) {
    const at = problem.linePos?.[0] ?? { line: 1, col: 1 };
    throw usageError(
      `${name} is not YAML at line ${at.line}, column ${at.col}: ${shorten(problem.message)}`,
      problem,
    );
  }
  try {
    return document.toJS({ reviver: refuseNonFinite }) as JsonValue;
  } catch (error) {
    // An alias without an anchor, more expansion than any honest document needs, or no JSON.
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`${name} cannot be read: ${shorten(reason)}`, error);
  }
}

/** Null: it is nested deeper than the parser's stack. */
function readYaml(text: string, options: Parameters<typeof parseDocument>[1]) {
  try {
    return parseDocument(text, options);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** They would be sent as null, without a word. */
function refuseNonFinite(key: unknown, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new Error(`the value of ${String(key)} is ${value}, which JSON cannot hold`);
}

/** JSON is read as YAML here: for positions only, so its few differences do not matter. */
function createLineFinder(text: string): (pointer: string) => number {
  const lines = new LineCounter();
  const document = readYaml(text, { lineCounter: lines, strict: false, uniqueKeys: false });
  if (document === null) return () => 1;
  return (pointer) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const offset = startOf(node);
      if (offset !== null) return lines.linePos(offset).line;
    }
    return 1;
  };
}

function startOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || !('range' in node)) return null;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : null;
}

/** The parsers' messages continue with an excerpt; one line is enough beside the position. */
function shorten(message: string): string {
  const plain = message
    .replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '')
    .replace(/ in JSON at position \d+( \(line \d+ column \d+\))?$/, '')
    .split('\n')[0];
  return (plain ?? message).replace(/ at line \d+, column \d+:?$/, '');
}
