import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { eventually } from './eventually.ts';
import { programOf, type Entry } from './program-of.ts';

/*
 * The real programs as child processes. Only the test configures them: they get no other
 * environment variables for that, and run in an empty folder without a configuration file. They
 * stay in the process group of the test run, which ends them when the test process dies.
 */

export interface Started {
  readonly pid: number;
  /** The output so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<ExitCode>;
  readonly exited: Promise<ExitCode>;
}

/** The exit code, or the name of the signal that ended the process. */
export type ExitCode = number | NodeJS.Signals;

export interface Program {
  /** A program of ours, or the path of another script. */
  readonly entry: Entry | { readonly path: string };
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of another version of this repository whose program runs, from its sources. */
  readonly root?: string | undefined;
}

export async function startProgram(program: Program): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-process-'));
  const path = pathOf(program);
  const child = spawn(process.execPath, [path, ...program.args], {
    cwd: folder,
    env: { ...ownEnvironment(), ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exited = once(child, 'exit').then(async (ended): Promise<ExitCode> => {
    await rm(folder, { recursive: true, force: true });
    const [code, signal] = ended as [number, null] | [null, NodeJS.Signals];
    return code ?? signal;
  });
  await once(child, 'spawn');
  if (child.pid === undefined) throw new Error(`${path} has no process id`);
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited,
    end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a program and returns its stdout; rejects unless the exit code is 0. */
export async function runProgram(program: Program): Promise<string> {
  const started = await startProgram(program);
  const code = await started.exited;
  if (code === 0) return started.stdout();
  throw new Error(`${pathOf(program)} ended with ${code}:\n${started.stderr()}`);
}

/** Waits until `isReady` resolves; rejects at once when the process ends. */
export async function waitUntilReady(
  started: Started,
  isReady: () => Promise<unknown>,
): Promise<void> {
  const endedEarly = started.exited.then((code) => {
    throw new Error(`the process ended with ${code}:\n${started.stdout()}${started.stderr()}`);
  });
  await Promise.race([eventually(isReady, { withinMs: READY_MS_MAX }), endedEarly]);
  endedEarly.catch(() => undefined);
}

const READY_MS_MAX = 45_000;
const OUTPUT_CHARACTERS_MAX = 4_000_000;

function pathOf({ entry, root, env }: Program): string {
  if (typeof entry !== 'string') return entry.path;
  return root === undefined ? programOf(entry, env) : join(root, 'bin', `${entry}.ts`);
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const configures = /^(SVC_|TEST_|OTEL_|DATABASE_URL$|RUST_LOG$|NODE_OPTIONS$|.*_API_KEY$)/;
  const kept = Object.entries(process.env).filter(([name]) => !configures.test(name));
  return Object.fromEntries(kept);
}

function collect(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < OUTPUT_CHARACTERS_MAX) text += chunk;
  });
  return () => text;
}
