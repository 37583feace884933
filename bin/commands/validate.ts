import { readWorkflow, type Problem } from '../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';
import { CliError } from '../support/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../support/output.ts';
import { readDocument, type SourceDocument } from '../support/read-document.ts';
import { unwrapIr } from '../support/unwrap-ir.ts';

interface Finding extends Problem {
  readonly line: number;
}

/** Prints every problem and warning with its place; problems make it exit with code 1. */
export async function validateFile(
  file: string,
  options: { readonly output: OutputFormat },
): Promise<void> {
  const document = await readDocument(file);
  const { ir, at } = unwrapIr(document.value);
  const read = readWorkflow({ ir, kinds: builtInKinds });
  const problems = locate(document, at, read.ok ? [] : read.problems);
  const warnings = locate(document, at, read.ok ? read.warnings : []);
  if (options.output === 'json') {
    printJson({
      valid: read.ok,
      ...(read.ok && { workflow_id: read.plan.workflowId, version: read.plan.version }),
      problems,
      warnings,
    });
  } else {
    for (const problem of problems) printFinding(document, 'error', problem);
    for (const warning of warnings) printFinding(document, 'warning', warning);
    if (read.ok) {
      printLine(`${document.name} is valid: ${read.plan.workflowId} ${read.plan.version}`);
    }
  }
  if (!read.ok) throw new CliError(`${document.name} cannot run: ${count(problems.length)}`);
}

/** In the form that editors turn into links: `file:line: error: /pointer: message`. */
function printFinding(document: SourceDocument, level: string, finding: Finding): void {
  const { pointer, message, line } = finding;
  printLine(`${document.name}:${line}: ${level}: ${pointer || '/'}: ${message}`);
}

function locate(
  document: SourceDocument,
  at: string,
  found: readonly Problem[],
): readonly Finding[] {
  return found
    .map(({ pointer, message }) => ({ pointer, message, line: document.lineOf(at + pointer) }))
    .toSorted((left, right) => left.line - right.line);
}

function count(problems: number): string {
  return problems === 1 ? '1 problem' : `${problems} problems`;
}
