import { createReadStream } from 'node:fs';

import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import type { DatasetFormat, Row } from '../../../src/shared/evaluation/make-case.ts';
import { usageError } from '../../cli/exit-code.ts';
import { readCsv } from './read-csv.ts';

/** Room for the largest input that a runtime takes. */
const ROW_CHARACTERS_MAX = 8 * 1024 * 1024;
/** More than inputs and states may have; a report holds rows, and is written by recursion. */
const ROW_DEPTH_MAX = 100;

/** By the ending of the name; null: neither. */
export function formatOf(file: string): DatasetFormat | null {
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl';
  return /\.csv$/i.test(file) ? 'csv' : null;
}

/**
 * Reads the rows of a data set of any length, one at a time: JSON objects, one a line, or CSV with
 * a header; `-` is stdin. A file that cannot be opened ends the command; an unreadable row is reported.
 */
export async function* readRows(file: string, format: DatasetFormat): AsyncGenerator<Row> {
  const text = readText(file);
  yield* format === 'csv' ? readCsvRows(text) : readJsonRows(text);
}

async function* readText(file: string): AsyncGenerator<string> {
  let isFirst = true;
  try {
    for await (const chunk of openText(file)) {
      const text = chunk as string;
      yield isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
      isFirst = false;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`"${file}" does not exist`, error);
    if (code === 'EACCES') throw usageError(`"${file}" is not readable by this user`, error);
    if (code === 'EISDIR') throw usageError(`"${file}" is a directory`, error);
    throw error;
  }
}

function openText(file: string): AsyncIterable<unknown> {
  return file === '-' ? process.stdin.setEncoding('utf8') : createReadStream(file, 'utf8');
}

async function* readJsonRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const one of readLines(text)) {
    line += 1;
    if (one === null) {
      const problem = `longer than ${ROW_CHARACTERS_MAX} characters`;
      yield { line, ok: false, problem };
    } else if (one.trim() !== '') {
      yield { line, ...parseRow(one) };
    }
  }
}

function parseRow(text: string) {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isDeeper(value, ROW_DEPTH_MAX)) {
      return { ok: false, problem: `is nested deeper than ${ROW_DEPTH_MAX}` } as const;
    }
    if (isJsonObject(value)) return { ok: true, value } as const;
    return { ok: false, problem: 'is not a JSON object' } as const;
  } catch {
    return { ok: false, problem: 'is not JSON' } as const;
  }
}

function isDeeper(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

/** Null in place of a line that is too long. */
async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string | null> {
  let rest = '';
  let isLost = false;
  for await (const chunk of text) {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield isLost ? null : rest + line;
      rest = '';
      isLost = false;
    }
    rest = isLost ? '' : rest + last;
    if (rest.length > ROW_CHARACTERS_MAX) {
      isLost = true;
      rest = '';
    }
  }
  if (isLost) yield null;
  else if (rest !== '') yield rest;
}

/** Every cell is text: a mapping makes numbers of it where they are wanted. */
async function* readCsvRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let header: readonly string[] | null = null;
  for await (const record of readCsv(text, { charactersMax: ROW_CHARACTERS_MAX })) {
    const { line } = record;
    if (!record.ok) {
      yield record;
      if (header === null) return;
    } else if (header === null) {
      const problem = findHeaderProblem(record.cells);
      if (problem !== null) return yield { line, ok: false, problem };
      header = record.cells;
    } else if (record.cells.length === header.length) {
      const { cells } = record;
      const value = Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
      yield { line, ok: true, value };
    } else {
      const problem = `${record.cells.length} cells, and the header has ${header.length}`;
      yield { line, ok: false, problem };
    }
  }
}

function findHeaderProblem(names: readonly string[]): string | null {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `the header names "${twice}" twice`;
  if (names.some((name) => name === '')) return 'the header has a column without a name';
  return names.includes('__proto__') ? 'the header names "__proto__"' : null;
}
