import {
  inspectWorkflow,
  type Problem,
  type Warning,
} from '../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../src/shared/nodes/index.ts';
import { readDefinitions, type SourceDefinition } from '../cli/definitions/read-definitions.ts';
import { CliError } from '../cli/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../cli/output.ts';

type Finding<Found> = Found & { readonly line?: number };

interface Report {
  readonly name: string;
  readonly valid: boolean;
  /** Set for a definition that can run. */
  readonly workflow_id?: string;
  readonly version?: string;
  readonly problems: readonly Finding<Problem>[];
  readonly warnings: readonly Finding<Warning>[];
}

/** Prints every problem and warning with its place. Problems make it exit with code 1, and so do warnings if `strict`. */
export async function validateFile(
  file: string,
  options: { readonly output: OutputFormat; readonly strict?: true },
): Promise<void> {
  const isStrict = options.strict === true;
  const definitions = await readDefinitions(file);
  const reports = definitions.map((definition) => inspect(definition, isStrict));
  if (options.output === 'json') printReports(reports);
  else for (const report of reports) printReport(report, isStrict);
  const refused = reports.find(({ valid }) => !valid);
  if (refused === undefined) return;
  const { name, problems, warnings } = refused;
  if (problems.length > 0) throw new CliError(`${name} cannot run: ${count(problems.length)}`);
  throw new CliError(`${name} is refused by --strict: ${count(warnings.length)}`);
}

function inspect(definition: SourceDefinition, isStrict: boolean): Report {
  const read = inspectWorkflow({ ir: definition.ir, kinds: builtInKinds });
  const problems = locate(definition, read.ok ? [] : read.problems);
  const warnings = locate(definition, read.warnings);
  return {
    name: definition.name,
    valid: problems.length + (isStrict ? warnings.length : 0) === 0,
    ...(read.ok && { workflow_id: read.plan.workflowId, version: read.plan.version }),
    problems,
    warnings,
  };
}

/** One document: that of the only definition, or a list of all. */
function printReports(reports: readonly Report[]): void {
  const shown = reports.map(({ name: _, ...report }) => report);
  const [only, ...others] = shown;
  if (only !== undefined && others.length === 0) printJson(only);
  else printJson({ valid: shown.every(({ valid }) => valid), workflows: shown });
}

function printReport(report: Report, isStrict: boolean): void {
  const { name, valid, workflow_id: id, version } = report;
  for (const problem of report.problems) printFinding(name, 'error', problem);
  for (const warning of report.warnings) {
    printFinding(name, isStrict ? 'error' : 'warning', warning);
  }
  if (valid) printLine(`${name} is valid: ${id} ${version}`);
}

/** In the form that editors turn into links: `file:line: error: /pointer: message`. */
function printFinding(name: string, level: string, finding: Finding<Problem>): void {
  const { pointer, message, line } = finding;
  const place = line === undefined ? name : `${name}:${line}`;
  printLine(`${place}: ${level}: ${pointer || '/'}: ${message}`);
}

function locate<Found extends Problem | Warning>(
  definition: SourceDefinition,
  found: readonly Found[],
): readonly Finding<Found>[] {
  const lines = new Map(found.map((one) => [one, definition.lineOf(one.pointer)]));
  const lineOf = (one: Found) => lines.get(one) ?? null;
  return found
    .toSorted((left, right) => (lineOf(left) ?? 0) - (lineOf(right) ?? 0))
    .map((one) => ({ ...one, ...lineMember(lineOf(one)) }));
}

/** A program made the definition: it has no lines. */
function lineMember(line: number | null): { readonly line?: number } {
  return line === null ? {} : { line };
}

function count(problems: number): string {
  return problems === 1 ? '1 problem' : `${problems} problems`;
}
