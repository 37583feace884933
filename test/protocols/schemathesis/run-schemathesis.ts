import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { openDatabase, openTarget } from '../../fuzz/open-target.ts';
import type { Leg, LegTotals } from '../leg.ts';

/**
 * Runs Schemathesis against a process of the service on SQLite. It sends requests that the OpenAPI
 * document allows or forbids, and checks every answer against the document. `requirements.txt` pins
 * its versions, and `schemathesis.toml` contains facts that the document cannot express.
 */
export const schemathesis: Leg = {
  name: 'schemathesis',
  async run() {
    const program = await install();
    const database = await openDatabase('sqlite');
    const target = await openTarget(database.url);
    const folder = await mkdtemp(join(tmpdir(), 'svc-schemathesis-'));
    try {
      const { url, apiKey } = target.runtime;
      const report = join(folder, 'report.json');
      const code = await runProgram(
        program,
        [
          `--config-file=${here('schemathesis.toml')}`,
          'run',
          `${url}/openapi.json`,
          `--header=Authorization: Bearer ${apiKey}`,
          `--checks=${CHECKS.join(',')}`,
          '--workers=2',
          '--max-examples=15',
          '--report=json',
          `--report-json-path=${report}`,
          `--max-time=${SECONDS_MAX}`,
        ],
        folder,
      );
      return countOf(await readReport(report), code);
    } finally {
      await target.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'positive_data_acceptance',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];
/** Fuzzing covers the cases that this time leaves out. */
const SECONDS_MAX = 600;
const MINUTES_MAX = 20;

/** Creates a virtual environment, once for each set of versions. */
async function install(): Promise<string> {
  const folder = fileURLToPath(
    new URL('../../../node_modules/.cache/svc-protocols/schemathesis', import.meta.url),
  );
  const program = join(folder, 'bin', 'schemathesis');
  const requirements = here('requirements.txt');
  if (!existsSync(program)) {
    await mkdir(folder, { recursive: true });
    await succeed('python3', ['-m', 'venv', folder]);
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  await succeed(join(folder, 'bin', 'python'), [...pip, '--requirement', requirements]);
  return program;
}

async function succeed(command: string, args: readonly string[]): Promise<void> {
  const code = await runProgram(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}`);
}

/** Inherits stdout and stderr. A program that exceeds the limit is killed, which is a failure. */
async function runProgram(
  command: string,
  args: readonly string[],
  cwd = tmpdir(),
): Promise<number | null> {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: MINUTES_MAX * 60_000,
    env: { ...process.env, PYTHONWARNINGS: 'ignore', NO_COLOR: '1' },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

interface Report {
  readonly operations: { readonly tested: number };
  readonly failures: readonly { readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly count: number }[];
}

async function readReport(file: string): Promise<Report> {
  if (!existsSync(file)) throw new Error('Schemathesis wrote no report');
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

/** An operation passes if nothing was found in it. An error of the program is also a failure. */
function countOf(report: Report, code: number | null): LegTotals {
  const { operations, failures, errors } = report;
  const found = new Set(failures.flatMap((failure) => failure.operations));
  const broken = errors.reduce((sum, { count }) => sum + count, 0);
  const failed = found.size + broken;
  const unexplained = code !== 0 && failed === 0 ? 1 : 0;
  return { passed: Math.max(0, operations.tested - found.size), failed: failed + unexplained };
}

function here(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
