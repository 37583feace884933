import { LineCounter, parseDocument as readYamlText } from 'yaml';

import type { DocumentFault, DocumentFormat, Place } from '../domain/document.ts';
import type { JsonValue } from '../domain/json.ts';
import { locateJsonError } from './locate-json-error.ts';

export type ParsedDocument =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** The place of the value that a JSON pointer leads to, or of its nearest ancestor. */
      readonly placeOf: (pointer: string) => Place;
    }
  | { readonly ok: false; readonly fault: CausedFault };

type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly fault: CausedFault };

interface CausedFault extends DocumentFault {
  readonly cause?: unknown;
}

/** Reads the text of a JSON or YAML document. The positions are found when somebody first asks for one. */
export function parseDocument(text: string, format: DocumentFormat): ParsedDocument {
  const read = format === 'json' ? parseJsonText(text) : parseYamlText(text);
  if (!read.ok) return read;
  let finder: ((pointer: string) => Place) | null = null;
  const placeOf = (pointer: string) => (finder ??= createPlaceFinder(text))(pointer);
  return { ok: true, value: read.value, placeOf };
}

export function parseJsonText(text: string): ReadValue {
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (cause) {
    const message = shorten(cause instanceof Error ? cause.message : String(cause));
    return { ok: false, fault: { message, place: locateJsonError(text), cause } };
  }
}

function parseYamlText(text: string): ReadValue {
  const refuse = (message: string, place: Place | null, cause?: unknown): ReadValue => ({
    ok: false,
    fault: { message: shorten(message), place, cause },
  });
  const document = readYaml(text, { prettyErrors: true });
  if (document === null) return refuse('it is nested too deeply', null);
  const [problem] = document.errors;
  if (problem !== undefined) {
    const at = problem.linePos?.[0] ?? { line: 1, col: 1 };
    return refuse(problem.message, { line: at.line, column: at.col }, problem);
  }
  try {
    return { ok: true, value: document.toJS({ reviver: refuseNonFinite }) as JsonValue };
  } catch (cause) {
    // An alias without an anchor, more expansion than any honest document needs, or no JSON.
    return refuse(cause instanceof Error ? cause.message : String(cause), null, cause);
  }
}

/** Null: it is nested deeper than the parser's stack. */
function readYaml(text: string, options: Parameters<typeof readYamlText>[1]) {
  try {
    return readYamlText(text, options);
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
function createPlaceFinder(text: string): (pointer: string) => Place {
  const start: Place = { line: 1, column: 1 };
  const lines = new LineCounter();
  const document = readYaml(text, { lineCounter: lines, strict: false, uniqueKeys: false });
  if (document === null) return () => start;
  return (pointer) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const offset = startOf(node);
      if (offset === null) continue;
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    }
    return start;
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
