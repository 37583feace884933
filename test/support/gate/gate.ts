import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TAKEN_PORTS } from '../servers/ports.ts';
import { childSecondsOf, COSTS_FILE } from './costs.ts';
import { addTotals, readTotalsIfAny } from './totals.ts';

/*
 * The whole gate: runs stages in order, up to the first in which a step fails. The lanes of a stage
 * run beside each other, because most steps wait often, and the steps of a lane one after the other.
 * The last line is the total of the steps that run tests. Above it stands every failure, and what this
 * machine could not test, because a reader may have only the end of the output. The tidy rules run
 * early because they take a second. They run again among all tests, so their first run does not count.
 */

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly counts: boolean;
  /** It prints as it goes. Any other says at its end what it printed, so that no two are mixed. */
  readonly isLong?: true;
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
    [test('--all-beside-others')],
    [npmRun('test:python')],
    [npmRun('test:java'), npmRun('test:companion', { options: ['--gate'] })],
  ],
  [[test('--all-without-others')]],
];

/** The command that the README names, and the slow tests. */
function test(part: '--all-beside-others' | '--all-without-others'): Step {
  return { name: `test ${part}`, command: ['sh', 'bin/test.sh', part], counts: true, isLong: true };
}

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
const costsFile = process.env[COSTS_FILE] ?? join(folder, 'costs.jsonl');
const failed: string[] = [];
let countedSeconds = 0;
for (const stage of STAGES) {
  await Promise.all(stage.map(runLane));
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

async function runLane(lane: readonly Step[]): Promise<void> {
  for (const step of lane) {
    if (await passes(step)) continue;
    failed.push(step.name);
    return;
  }
}

async function passes({ name, command, isLong }: Step): Promise<boolean> {
  process.stdout.write(`\n=== ${name}: begins\n`);
  const startedAt = performance.now();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      TEST_TOTALS_FILE: totalsFileOf(name),
      GATE_NOTES_FILE: notesFile,
      [COSTS_FILE]: costsFile,
      [TAKEN_PORTS]: folder,
    },
    stdio: isLong ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => void printed.push(part));
  }
  const exited = once(child, 'exit').then(takeProcessorSeconds);
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const outcome = code === 0 ? 'passed' : 'FAILED';
  process.stdout.write(Buffer.concat(printed));
  process.stdout.write(
    `=== ${name}: ${outcome} in ${seconds} s, with ${await exited} s of processor time\n`,
  );
  return code === 0;
}

/** The processor time of the children that have ended since the last call. */
function takeProcessorSeconds(): string {
  const all = childSecondsOf(readFileSync('/proc/self/stat', 'utf8'));
  const seconds = all - countedSeconds;
  countedSeconds = all;
  return seconds.toFixed(1);
}
