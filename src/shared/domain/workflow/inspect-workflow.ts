import { isJsonObject, type JsonObject } from '../json.ts';
import { checkJson } from './parse/check-json.ts';
import type { KindRegistry } from './kind-registry.ts';
import { lintWorkflow } from './lint/lint-workflow.ts';
import { checkConcurrencyMembers } from './parse/parse-concurrency.ts';
import { checkConstantLabels } from './parse/parse-execution-labels.ts';
import { type Problem, ProblemList, type Warning } from './problem.ts';
import { readWorkflow, type ReadWorkflow } from './parse/read-workflow.ts';

/** A definition as it was read, with all warnings, also when it cannot run. */
export type InspectedWorkflow =
  | Extract<ReadWorkflow, { ok: true }>
  | (Extract<ReadWorkflow, { ok: false }> & { readonly warnings: readonly Warning[] });

/**
 * Reads a definition for its author: besides errors, it reports unused names, and refuses those in
 * `concurrency` and labels that no execution can have. A program that loads a stored definition uses
 * `readWorkflow`, which skips that work.
 */
export function inspectWorkflow(params: {
  readonly ir: unknown;
  readonly kinds: KindRegistry;
}): InspectedWorkflow {
  const { ir, kinds } = params;
  const stored = readWorkflow(params);
  if (!isJsonObject(ir) || !checkJson(ir, new ProblemList())) return { ...stored, warnings: [] };
  const read = withProblems(stored, findProblemsOfAuthor(ir));
  const found = lintWorkflow({ ir, plan: read.ok ? read.plan : null, kinds });
  if (read.ok) return { ...read, warnings: [...found, ...read.warnings] };
  // A field that is refused is not ignored as well.
  const refused = new Set(read.problems.map(({ pointer }) => pointer));
  return { ...read, warnings: found.filter(({ pointer }) => !refused.has(pointer)) };
}

function findProblemsOfAuthor(ir: JsonObject): readonly Problem[] {
  const problems = new ProblemList();
  checkConcurrencyMembers(ir, problems);
  checkConstantLabels(ir, problems);
  return problems.toArray();
}

function withProblems(read: ReadWorkflow, more: readonly Problem[]): ReadWorkflow {
  if (more.length === 0) return read;
  return { ok: false, problems: [...(read.ok ? [] : read.problems), ...more] };
}
