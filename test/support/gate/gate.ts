import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTotals, readTotalsIfAny } from './totals.ts';

/*
 * The whole gate: runs stages in order, up to the first in which a step fails. The lanes of a stage
 * run beside each other, and the steps of a lane one after the other. The last line is the total of
 * the steps that run tests. Above it stands every failure, and what this machine could not test,
 * because a reader may have only the end of the output. The tidy rules run early because they take a
 * second. They run again among all tests, so their first run does not count.
 */

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly counts: boolean;
}

type Stage = readonly (readonly Step[])[];

/** Later steps start the program and its console a hundred times. From a build they start in half the time. */
const BUILD: Step = {
  name: 'build',
  command: ['sh', '-c', 'node deploy/package/bundle.ts && node deploy/package/build-console.ts'],
  counts: false,
};

const STAGES: readonly Stage[] = [
  [
    [npmRun('tidy', { counts: false }), npmRun('lint'), npmRun('types'), BUILD],
    [npmRun('format:check')],
  ],
  [
    [npmRun('test:python')],
    [npmRun('test:java'), npmRun('test:companion', { options: ['--gate'] })],
  ],
  // The command that the README names, and the slow tests. It measures, so it runs alone.
  [[{ name: 'test', command: ['sh', 'bin/test.sh', '--all'], counts: true }]],
];

function npmRun(
  script: string,
  { counts = true, options = [] }: { readonly counts?: boolean; readonly options?: string[] } = {},
): Step {
  const name = script.replace('test:', '');
  return { name, command: ['npm', 'run', '--silent', script, '--', ...options], counts };
}

const folder = mkdtempSync(join(tmpdir(), 'svc-gate-'));
const notesFile = join(folder, 'notes.txt');
const totalsFileOf = (step: string): string => join(folder, `totals-${step}.json`);
const failed: string[] = [];
for (const stage of STAGES) {
  await Promise.all(stage.map((lane) => runLane(lane, { isAlone: stage.length === 1 })));
  if (failed.length > 0) break;
}
const totals = addTotals(
  STAGES.flat(2)
    .filter(({ counts }) => counts)
    .map(({ name }) => readTotalsIfAny(totalsFileOf(name))),
);
const notes = existsSync(notesFile) ? readFileSync(notesFile, 'utf8') : '';
rmSync(folder, { recursive: true });
for (const failure of totals.failures) process.stdout.write(`\n✘ ${failure}\n`);
process.stdout.write(notes === '' ? '' : `\n${notes}`);
process.stdout.write(
  failed.length === 0
    ? '\nThe gate is passed.\n'
    : `\nThe gate stopped at "${failed.join(', ')}".\n`,
);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runLane(
  lane: readonly Step[],
  { isAlone }: { readonly isAlone: boolean },
): Promise<void> {
  for (const step of lane) {
    if (await passes(step, { isAlone })) continue;
    failed.push(step.name);
    return;
  }
}

/** A step beside others says at its end what it printed, so that no two are mixed. */
async function passes(
  { name, command }: Step,
  { isAlone }: { readonly isAlone: boolean },
): Promise<boolean> {
  process.stdout.write(`\n=== ${name}: begins\n`);
  const startedAt = performance.now();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      TEST_TOTALS_FILE: totalsFileOf(name),
      GATE_NOTES_FILE: notesFile,
    },
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => void printed.push(part));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(Buffer.concat(printed));
  process.stdout.write(`=== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  return code === 0;
}
