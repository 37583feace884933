import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findJdk, JAVA_MIN } from '../support/gate/find-jdk.ts';
import { leaveOut, MAVEN_UNREACHABLE } from '../support/gate/sdk-step.ts';
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
const RUNNER = join(repository, 'test/support/gate/run.ts');
const MAVEN_OPTIONS = '-q -B -ntp -Psamples,get-started -Dmaven.test.skip=true -am -pl'.split(' ');
const { values, positionals } = parseArgs({
  options: { gate: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const named = positionals.map(readPair);
const pairs = named.length > 0 ? named : values.gate ? [PAIR_OF_GATE] : PAIRS;
const missing = whyNot() ?? build();
if (missing === null) {
  process.exitCode = test();
} else {
  leaveOut(`the companion for Spring was NOT tested: ${missing}`);
  process.exitCode = values.gate ? 0 : 1;
}

function readPair(name: string): Pair {
  const pair = PAIRS.find((one) => one === name);
  if (pair === undefined) throw new Error(`${name} is not one of ${PAIRS.join(', ')}`);
  return pair;
}

/** Null: this machine can run the tests. */
function whyNot(): string | null {
  const home = findJdk();
  if (home === null) return `there is no JDK of ${JAVA_MIN} or newer`;
  process.env['JAVA_HOME'] = home;
  return spawnSync('mvn', ['--version']).status === 0 ? null : 'there is no mvn';
}

/** Null: the applications are built. Code that does not compile ends the process. */
function build(): string | null {
  writeGetStarted(repository);
  const modules = ['target/get-started', ...pairs.map((pair) => `samples/${pair}`)].join(',');
  const { status, stdout } = spawnSync('mvn', [...MAVEN_OPTIONS, modules, 'package'], {
    cwd: JAVA_PROJECT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return null;
  process.stdout.write(stdout);
  if (MAVEN_UNREACHABLE.test(stdout)) return 'Maven could not get its packages';
  process.exit(1);
}

function test(): number {
  process.env['COMPANION_PAIRS'] = pairs.join(',');
  const args = [RUNNER, '--concurrency', '1', ...TESTS];
  return spawnSync(process.execPath, args, { cwd: repository, stdio: 'inherit' }).status ?? 1;
}
