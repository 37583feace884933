import { CliError, EXIT, usageError } from '../../cli/exit-code.ts';
import { onInterrupt } from '../../cli/on-interrupt.ts';
import { printJson } from '../../cli/output.ts';
import { CASE_FILE, selectCases } from './case-file.ts';
import { printCases, printOutcome, printSummary, shapeOutcome } from './print-results.ts';
import { runCases, type CaseOutcome } from './run-cases.ts';
import { splitCommand } from './split-command.ts';

export interface CheckOptions {
  readonly cmd?: string;
  readonly case?: readonly string[];
  readonly list?: boolean;
  readonly concurrency: number;
  readonly timeout: number;
  readonly output: 'table' | 'json';
}

/** Plays the runtime for a worker, case by case, and says which rules of the protocol it keeps. */
export async function checkWorker(options: CheckOptions): Promise<void> {
  const printsJson = options.output === 'json';
  const cases = selectCases(options.case ?? []);
  if (options.list === true) {
    if (printsJson) printJson({ ...CASE_FILE, cases });
    else printCases(cases);
    return;
  }
  if (options.cmd === undefined) {
    throw usageError('--cmd is missing: the command that starts the worker');
  }
  if (options.concurrency < 1) throw usageError('--concurrency must be at least 1');
  const command = splitCommand(options.cmd);
  const [first] = CASE_FILE.cases;
  if (first === undefined) throw new Error('the file of the cases has none');
  const interrupt = onInterrupt('ending the workers');
  const results = await runCases(cases, {
    first,
    command,
    concurrency: options.concurrency,
    timeoutMs: options.timeout * 1000,
    signal: interrupt.signal,
    onResult: printsJson ? () => undefined : printOutcome,
  }).catch((error: unknown) => {
    if (interrupt.exitCode() === null) throw error;
    return [];
  });
  interrupt.release();
  const interrupted = interrupt.exitCode();
  if (interrupted !== null) {
    process.exitCode = interrupted;
    return;
  }
  report(results, { printsJson, isWhole: results.length === cases.length });
}

function report(
  results: readonly CaseOutcome[],
  { printsJson, isWhole }: { readonly printsJson: boolean; readonly isWhole: boolean },
): void {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  if (printsJson) {
    printJson({
      passed: results.filter(({ outcome }) => outcome === 'passed').length,
      failed,
      not_applicable: results.filter(({ outcome }) => outcome === 'not_applicable').length,
      complete: isWhole,
      cases: results.map(shapeOutcome),
    });
  } else printSummary(results);
  if (!isWhole) {
    throw new CliError('the first case failed, so the others were not played');
  }
  if (failed > 0) process.exitCode = EXIT.failure;
}
