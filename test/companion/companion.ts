import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findJava } from './find-java.ts';
import { JAVA_PROJECT, PAIR_OF_GATE, PAIRS, type Pair } from './pairs.ts';
import { writeGetStarted } from './write-get-started.ts';

/*
 * npm run test:companion -- [PAIR]... [--gate]
 *
 * Builds the samples of sdk/java, and the application of docs/get-started/spring.md, and runs the chapter of the companion on them: all pairs of Spring
 * Boot and Spring AI, or those that are named. `--gate` runs one pair; a machine without Java 21 and
 * Maven then says so in the last lines of the gate.
 */

const TESTS = ['test/companion/scenarios.test.ts', 'test/companion/get-started.test.ts'];
const repository = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { gate: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const named = positionals.map(readPair);
const pairs = named.length > 0 ? named : values.gate ? [PAIR_OF_GATE] : PAIRS;
const missing = whyNot();
if (missing === null) process.exitCode = build() || test();
else leaveOut(`the companion for Spring was NOT tested: ${missing}`);

function readPair(name: string): Pair {
  const pair = PAIRS.find((one) => one === name);
  if (pair === undefined) throw new Error(`${name} is not one of ${PAIRS.join(', ')}`);
  return pair;
}

/** Null: this machine can run the tests. */
function whyNot(): string | null {
  const java = findJava();
  if ('missing' in java) return java.missing;
  process.env['JAVA_HOME'] = java.home;
  return spawnSync('mvn', ['--version']).status === 0 ? null : 'there is no Maven';
}

function build(): number {
  writeGetStarted(repository);
  const modules = ['target/get-started', ...pairs.map((pair) => `samples/${pair}`)].join(',');
  const options = ['-q', '-B', '-ntp', '-Psamples,get-started', '-Dmaven.test.skip=true', '-am', '-pl'];
  return run('mvn', [...options, modules, 'package'], JAVA_PROJECT);
}

function test(): number {
  process.env['COMPANION_PAIRS'] = pairs.join(',');
  const runner = join(repository, 'test/support/gate/run.ts');
  return run(process.execPath, [runner, '--concurrency', '1', ...TESTS], repository);
}

function run(command: string, args: readonly string[], cwd: string): number {
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;
}

function leaveOut(line: string): void {
  process.stdout.write(`!!! ${line}\n`);
  const notes = process.env['GATE_NOTES_FILE'];
  if (notes !== undefined) appendFileSync(notes, `${line}\n`);
  if (!values.gate) process.exitCode = 1;
}
