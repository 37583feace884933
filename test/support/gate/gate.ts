import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTotals, readTotalsIfAny } from './totals.ts';

/*
 * The whole gate: runs every step in order, up to the first that fails. The last line is the total
 * of the steps that run tests. Above it stands every failure, and what this machine could not test,
 * because a reader may have only the end of the output. The tidy rules run first because they take a
 * second. They run again among all tests, so their first run does not count.
 */

const STEPS = [
  ...['format:check', 'lint', 'types', 'tidy'].map((step) => ({
    name: step,
    command: ['npm', 'run', '--silent', step] as const,
    counts: step !== 'tidy',
  })),
  ...['python', 'java'].map((sdk) => ({
    name: sdk,
    command: ['npm', 'run', '--silent', `test:${sdk}`] as const,
    counts: true,
  })),
  {
    name: 'companion',
    command: ['npm', 'run', '--silent', 'test:companion', '--', '--gate'] as const,
    counts: true,
  },
  // The command that the README names, and the slow tests.
  { name: 'test', command: ['sh', 'bin/test.sh', '--all'] as const, counts: true },
];

const folder = mkdtempSync(join(tmpdir(), 'svc-gate-'));
const notesFile = join(folder, 'notes.txt');
const totalsFileOf = (step: string): string => join(folder, `totals-${step}.json`);
let failedStep: string | null = null;
for (const step of STEPS) {
  if (!(await passes(step))) {
    failedStep = step.name;
    break;
  }
}
const totals = addTotals(
  STEPS.filter(({ counts }) => counts).map(({ name }) => readTotalsIfAny(totalsFileOf(name))),
);
const notes = existsSync(notesFile) ? readFileSync(notesFile, 'utf8') : '';
rmSync(folder, { recursive: true });
for (const failure of totals.failures) process.stdout.write(`\n✘ ${failure}\n`);
process.stdout.write(notes === '' ? '' : `\n${notes}`);
process.stdout.write(
  failedStep === null ? '\nThe gate is passed.\n' : `\nThe gate stopped at "${failedStep}".\n`,
);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = failedStep === null ? 0 : 1;

async function passes({ name, command }: (typeof STEPS)[number]): Promise<boolean> {
  process.stdout.write(`\n=== ${name}\n`);
  const startedAt = performance.now();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      TEST_TOTALS_FILE: totalsFileOf(name),
      GATE_NOTES_FILE: notesFile,
    },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`=== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  return code === 0;
}
