import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

import { totalsOfJunit } from './junit.ts';
import { addTotals } from './totals.ts';

/** Fits the output of Maven where no registry gives it packages. */
export const MAVEN_UNREACHABLE =
  /Could not (?:transfer|find|resolve)|was not found in|UnresolvableModel/;

/** Says in this output, and in the last lines of the gate, what this machine cannot test. */
export function leaveOut(line: string): void {
  process.stdout.write(`!!! ${line}\n`);
  const notes = process.env['GATE_NOTES_FILE'];
  if (notes !== undefined) appendFileSync(notes, `${line}\n`);
}

/** Hands the counts of JUnit reports to the gate. A run that stopped early has not written all. */
export function writeTotalsOf(reports: readonly string[]): void {
  const file = process.env['TEST_TOTALS_FILE'];
  if (file === undefined) return;
  const totals = reports
    .filter((report) => existsSync(report))
    .map((report) => totalsOfJunit(readFileSync(report, 'utf8')));
  writeFileSync(file, JSON.stringify(addTotals(totals)));
}
