import { usageError } from '../../cli/exit-code.ts';
import { printNote } from '../../cli/output.ts';
import type { Dataset } from '../../../src/shared/evaluation/evaluation.ts';
import { makeCase, type EvalCase } from '../../../src/shared/evaluation/make-case.ts';
import { readRows } from './read-rows.ts';

const PROBLEMS_SHOWN_MAX = 20;

/**
 * Reads a whole data set once, before anything runs, and returns the number of its cases. It
 * reports every invalid row with its line, and then ends the command.
 */
export async function surveyDataset(dataset: Dataset): Promise<number> {
  const ids = new Set<string>();
  let problems = 0;
  let count = 0;
  for await (const made of readCases(dataset)) {
    const isTaken = made.ok && ids.has(made.case.id);
    if (made.ok && !isTaken) {
      ids.add(made.case.id);
      count += 1;
      continue;
    }
    problems += 1;
    if (problems > PROBLEMS_SHOWN_MAX) continue;
    const [line, problem] = made.ok
      ? [made.case.line, `another case has the id "${made.case.id}"`]
      : [made.line, made.problem];
    printNote(`${dataset.file}:${line}: ${problem}`);
  }
  if (problems > 0) {
    throw usageError(`${dataset.file} has ${problems} bad ${problems === 1 ? 'row' : 'rows'}`);
  }
  if (count === 0) throw usageError(`${dataset.file} holds no cases`);
  return count;
}

/** The cases of a data set that has been surveyed. */
export async function* streamCases(dataset: Dataset): AsyncGenerator<EvalCase> {
  for await (const made of readCases(dataset)) {
    if (!made.ok) throw usageError(`${dataset.file}:${made.line}: ${made.problem}`);
    yield made.case;
  }
}

async function* readCases({ file, format, mappings, limit }: Dataset) {
  let number = 0;
  if (limit === 0) return;
  for await (const row of readRows(file, format)) {
    number += 1;
    yield makeCase(row, number, mappings);
    if (number === limit) return;
  }
}
