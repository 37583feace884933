import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import type { ComparedCase } from '../../../src/shared/domain/eval/compare-cases.ts';
import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { usageError } from '../../cli/exit-code.ts';
import { readDocument } from '../../cli/read-document.ts';
import { CASES_OPEN } from './write-report.ts';

/** The cases of an earlier report by their ids. Read line by line, unless it was reformatted. */
export async function readEarlier(file: string): Promise<ReadonlyMap<string, ComparedCase>> {
  const cases = new Map<string, ComparedCase>();
  const isWhole = await readByLine(file, cases);
  if (isWhole) return cases;
  const { value } = await readDocument(file);
  const listed = isJsonObject(value) ? value['cases'] : null;
  if (!Array.isArray(listed) || !listed.every((one: JsonValue) => addCase(cases, one))) {
    throw usageError(`"${file}" is not a report of svc eval run`);
  }
  return cases;
}

/** False: it is not written as reports are. */
async function readByLine(file: string, cases: Map<string, ComparedCase>): Promise<boolean> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw usageError(`"${file}" is not a file`);
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let isAmongCases = false;
  for await (const line of lines) {
    if (!isAmongCases) isAmongCases = line === CASES_OPEN;
    else if (line.startsWith(']')) return true;
    else if (!addCase(cases, parseLine(line))) break;
  }
  cases.clear();
  return false;
}

function parseLine(line: string): JsonValue {
  try {
    return JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as JsonValue;
  } catch {
    return null;
  }
}

function addCase(cases: Map<string, ComparedCase>, value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { id, passed, score } = value;
  if (typeof id !== 'string' || typeof passed !== 'boolean' || typeof score !== 'number') {
    return false;
  }
  cases.set(id, { passed, score });
  return true;
}
