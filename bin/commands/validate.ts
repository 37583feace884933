import {
  inspectWorkflow,
  type Problem,
  type Warning,
} from '../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';
import { CliError } from '../cli/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../cli/output.ts';
import { readDocument, type SourceDocument } from '../cli/read-document.ts';
import { unwrapIr } from '../cli/unwrap-ir.ts';

type Finding<Found> = Found & { readonly line: number };

/** Prints every problem and warning with its place. Problems make it exit with code 1, and so do warnings if `strict`. */
export async function validateFile(
  file: string,
  options: { readonly output: OutputFormat; readonly strict?: true },
): Promise<void> {
  const document = await readDocument(file);
  const { ir, at } = unwrapIr(document.value);
  const read = inspectWorkflow({ ir, kinds: builtInKinds });
  const problems = locate(document, at, read.ok ? [] : read.problems);
  const warnings = locate(document, at, read.warnings);
  const faults = problems.length + (options.strict === true ? warnings.length : 0);
  if (options.output === 'json') {
    printJson({
      valid: faults === 0,
      ...(read.ok && { workflow_id: read.plan.workflowId, version: read.plan.version }),
      problems,
      warnings,
    });
  } else {
    for (const problem of problems) printFinding(document, 'error', problem);
    const level = options.strict === true ? 'error' : 'warning';
    for (const warning of warnings) printFinding(document, level, warning);
    if (read.ok && faults === 0) {
      printLine(`${document.name} is valid: ${read.plan.workflowId} ${read.plan.version}`);
    }
  }
  if (!read.ok) throw new CliError(`${document.name} cannot run: ${count(problems.length)}`);
  if (faults > 0) throw new CliError(`${document.name} is refused by --strict: ${count(faults)}`);
}

/** In the form that editors turn into links: `file:line: error: /pointer: message`. */
function printFinding(document: SourceDocument, level: string, finding: Finding<Problem>): void {
  const { pointer, message, line } = finding;
  printLine(`${document.name}:${line}: ${level}: ${pointer || '/'}: ${message}`);
}

function locate<Found extends Problem | Warning>(
  document: SourceDocument,
  at: string,
  found: readonly Found[],
): readonly Finding<Found>[] {
  return found
    .map((one) => ({ ...one, line: document.lineOf(at + one.pointer) }))
    .toSorted((left, right) => left.line - right.line);
}

function count(problems: number): string {
  return problems === 1 ? '1 problem' : `${problems} problems`;
}
