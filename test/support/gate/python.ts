import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { leaveOut, writeTotalsOf } from './sdk-step.ts';

/*
 * Checks and tests the Python SDK, in an environment of its own beside the other caches. A machine
 * without Python 3.10, or without the packages that they need, does not run them, and the gate says
 * so in its last lines.
 */

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const project = join(repository, 'sdk/python');
const environment = join(repository, 'node_modules/.cache/svc-python');
const python = join(environment, 'bin/python');
const requirements = join(project, 'requirements-dev.txt');
const installed = join(environment, 'installed.txt');
const junit = join(environment, 'junit.xml');

const CHECKS: readonly (readonly string[])[] = [
  ['ruff', 'format', '--check', '.'],
  ['ruff', 'check', '.'],
  ['mypy'],
  ['pytest', '--numprocesses', '2', '--dist', 'worksteal', '--junitxml', junit],
];

const missing = whyNot() ?? install();
if (missing === null) process.exitCode = check();
else leaveOut(`the Python SDK was NOT tested: ${missing}`);

/** Null: this machine can run the tests. */
function whyNot(): string | null {
  const asked = spawnSync(
    'python3',
    ['-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 10))'],
    {
      encoding: 'utf8',
    },
  );
  if (asked.error !== undefined) return 'there is no python3';
  if (asked.status !== 0) return 'python3 has no venv or no pip';
  return asked.stdout.trim() === 'True' ? null : 'python3 is older than 3.10';
}

/** Null: the environment has what the tests need. */
function install(): string | null {
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return null;
  if (run('python3', ['-m', 'venv', '--clear', environment]) !== 0) return 'venv failed';
  const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', requirements];
  if (run(python, pip) !== 0) return `pip could not install ${requirements}`;
  writeFileSync(installed, wanted);
  return null;
}

function check(): number {
  // The report of an earlier run must not count when a check fails before the tests.
  rmSync(junit, { force: true });
  let failed = 0;
  for (const [module = '', ...args] of CHECKS) failed ||= run(python, ['-m', module, ...args]);
  writeTotalsOf([junit]);
  return failed;
}

function run(command: string, args: readonly string[]): number {
  const { status } = spawnSync(command, args, { cwd: project, stdio: 'inherit' });
  return status ?? 1;
}
