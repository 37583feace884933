import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { programOf, type Entry } from '../support/program-of.ts';

/*
 * Runs the real command line as a child process, on the project's Node, in a new folder and without
 * settings from the environment.
 */

const NODE = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

/** Far more than a command needs, so that a hanging one fails its test with its output. */
const RUN_MS_MAX = 60_000;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty when omitted. */
  readonly input?: string;
  readonly program?: Entry;
}

/** Runs a command until it ends. */
export async function runSvc(args: readonly string[], options: RunOptions): Promise<Outcome> {
  return finish(spawnSvc(args, options), options);
}

/** Runs another program until it ends, in the same environment as `runSvc`. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  return finish(spawn(program, args, spawnOptions(options)), options);
}

async function finish(child: ChildProcess, options: RunOptions): Promise<Outcome> {
  const stdout = collect(child, 'stdout');
  const stderr = collect(child, 'stderr');
  child.stdin?.end(options.input ?? '');
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS_MAX);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout: stdout(), stderr: stderr() };
}

export interface RunningSvc {
  readonly child: ChildProcess;
  /** The output of both streams so far, in the order of arrival. */
  output(): string;
  /** Resolves with the first match in the output. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  /** Sends the signal and resolves with the exit code or signal. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a command that runs until it is stopped. */
export function startSvc(args: readonly string[], options: RunOptions): RunningSvc {
  const child = spawnSvc(args, options);
  child.stdin?.end(options.input ?? '');
  let output = '';
  let isOver = false;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      tell();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      tell();
      resolve({ code, signal });
    });
  });

  const svc: RunningSvc = {
    child,
    ended,
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(output);
          if (match === null && !isOver) return;
          clearTimeout(timer);
          listeners.delete(check);
          if (match !== null) resolve(match);
          else reject(new Error(`it ended without printing ${String(pattern)}:\n${output}`));
        };
        const timer = setTimeout(() => {
          listeners.delete(check);
          reject(new Error(`it never printed ${String(pattern)}:\n${output}`));
        }, RUN_MS_MAX);
        listeners.add(check);
        check();
      }),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
  running.set(svc, options.cwd);
  void ended.then(() => running.delete(svc));
  return svc;
}

/** Running processes of `startSvc`, with their working folder; a failed test may leave some. */
const running = new Map<RunningSvc, string>();

/**
 * A new folder for a test file; its removal also ends the processes that run in it. Synchronous,
 * because ava wants tests declared at once.
 */
export function createFolder(): { readonly path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-bin-'));
  return {
    path,
    remove: async () => {
      const own = [...running].filter(([, cwd]) => cwd === path || cwd.startsWith(`${path}/`));
      await Promise.all(own.map(([one]) => one.stop('SIGKILL')));
      await rm(path, { recursive: true, force: true });
    },
  };
}

function spawnSvc(args: readonly string[], options: RunOptions): ChildProcess {
  const entry = programOf(options.program ?? 'svc', options.env);
  return spawn(NODE, [entry, ...args], spawnOptions(options));
}

function spawnOptions({ cwd, env }: RunOptions) {
  // A folder without profiles, so that no command uses those of the developer.
  const profiles = join(tmpdir(), 'svc-test-no-profiles');
  const own = {
    PATH: process.env['PATH'],
    TMPDIR: tmpdir(),
    NO_COLOR: '1',
    XDG_CONFIG_HOME: profiles,
    // Without it, each command would compile its modules again.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  return { cwd, env: { ...own, ...env }, stdio: 'pipe' } as const;
}

function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[stream]?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}
