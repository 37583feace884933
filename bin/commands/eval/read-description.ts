import { basename } from 'node:path';

import { parse, TomlError } from 'smol-toml';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { usageError } from '../../cli/exit-code.ts';
import { readDocument } from '../../cli/read-document.ts';
import { readText } from '../../cli/read-text.ts';
import type { EvaluationOptions } from '../../../src/shared/evaluation/evaluation.ts';
import { formatOf } from './read-rows.ts';

/** The fields of an evaluation as they were written. */
export interface Description {
  /** Paths in it are relative to its folder. */
  readonly file: string;
  readonly name: string;
  readonly fields: JsonObject;
  /** Line, from 1, of what a JSON pointer leads to. */
  lineOf(pointer: string): number;
}

/**
 * Reads a description in JSON, YAML or TOML. A data set in its place is described by the options
 * alone.
 */
export async function readDescription(
  file: string,
  options: EvaluationOptions,
): Promise<Description> {
  if (formatOf(file) !== null) return describeDataset(file, options);
  const document = /\.toml$/i.test(file) ? await readToml(file) : await readDocument(file);
  const { name, value } = document;
  if (!isJsonObject(value)) throw usageError(`${name} is not an object of fields`);
  return { file, name, fields: value, lineOf: (pointer) => document.lineOf(pointer) };
}

function describeDataset(file: string, { check = [] }: EvaluationOptions): Description {
  if (check.length === 0) {
    throw usageError(
      `"${file}" is a data set without checks: give --check, such as --check 'output.answer == expected'`,
    );
  }
  return { file, name: file, fields: { dataset: basename(file) }, lineOf: () => 1 };
}

async function readToml(file: string) {
  const { name, text } = await readText(file);
  try {
    return { name, value: toJson(parse(text)), lineOf: () => 1 };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0] ?? '';
    throw usageError(
      `${name} is not TOML at line ${error.line}, column ${error.column}: ${reason}`,
      error,
    );
  }
}

/** Times become the text that they are in JSON. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
