import { printLine } from '../../cli/output.ts';
import type { Call } from './call-log.ts';
import type { Case } from './case-file.ts';
import type { CaseOutcome } from './run-cases.ts';

const CALLS_MAX = 40;
const OUTPUT_LINES_MAX = 12;

/** One line for a case that passed, and all that helps to mend the worker for one that failed. */
export function printOutcome(result: CaseOutcome): void {
  const { of, outcome } = result;
  if (outcome === 'not_applicable') {
    printLine(`-  ${of.name}: not checked, the worker has no ${result.lacks.join(' and no ')}`);
    return;
  }
  const seconds = (result.ms / 1000).toFixed(1);
  printLine(`${outcome === 'passed' ? 'ok' : 'NO'} ${of.name} (${seconds} s)`);
  if (outcome === 'passed') return;
  printLine(`   ${of.rule}`);
  for (const problem of result.problems) printLine(`   ✘ ${problem}`);
  printLine(`   see docs/reference/${of.see}`);
  printLine('   calls, in milliseconds since the start:');
  for (const call of result.calls.slice(0, CALLS_MAX)) {
    printLine(`     ${describeCall(call, result.beganAt)}`);
  }
  const more = result.calls.length - CALLS_MAX;
  if (more > 0) printLine(`     and ${more} more`);
  const lines = result.output.trimEnd().split('\n').slice(-OUTPUT_LINES_MAX);
  if (result.output.trim() !== '') printLine('   last lines of the worker:');
  for (const line of lines) if (line !== '') printLine(`     ${line}`);
}

export function printSummary(results: readonly CaseOutcome[]): void {
  const count = (outcome: CaseOutcome['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  printLine(
    `${count('passed')} passed, ${count('failed')} failed, ${count('not_applicable')} not checked`,
  );
}

export function printCases(cases: readonly Case[]): void {
  for (const { name, rule, needs = [] } of cases) {
    printLine(`${name}${needs.length === 0 ? '' : ` (needs ${needs.join(', ')})`}`);
    printLine(`   ${rule}`);
  }
}

/** The result for programs. */
export function shapeOutcome(result: CaseOutcome): Readonly<Record<string, unknown>> {
  const { of, outcome } = result;
  const { name, rule, see } = of;
  if (outcome === 'not_applicable') return { name, outcome, rule, see, lacks: result.lacks };
  const { problems, ms } = result;
  if (outcome === 'passed') return { name, outcome, rule, see, ms };
  const calls = result.calls.map((call) => ({
    kind: call.kind,
    item: call.item,
    got: call.got,
    status: call.status,
    began_ms: Math.round(call.beganAt - result.beganAt),
    ended_ms: Math.round(call.endedAt - result.beganAt),
    body: call.body,
  }));
  return { name, outcome, rule, see, ms, problems, calls, output: result.output };
}

function describeCall({ kind, item, got, status, beganAt, endedAt }: Call, since: number): string {
  const [began, ended] = [beganAt, endedAt].map((at) => String(Math.round(at - since)).padStart(6));
  const about = item ?? (got.length > 0 ? `got ${got.join(', ')}` : '');
  return `${began} ${ended}  ${`${kind} ${about}`.padEnd(20)} ${status ?? 'no answer'}`;
}
