import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/*
 * The processes of the demo. The demo always stops each by its own handle. A process that ends too
 * early ends the demo, which then shows the last lines of its log.
 */

/** A worker with an open call would wait for its runtime, which ends at the same time. */
const STOP_MS_MAX = 1_000;
const TAIL_LINES = 20;
/** Not in the terminal's process group: Ctrl-C is for the demo, which then stops them in order. */
const APART = { detached: true } as const;

export interface Process {
  readonly pid: number;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface Processes {
  /** Starts a process that runs until it is stopped; both its streams go to `<name>.log`. */
  start(params: Start): Process;
  /** Starts a process that ends without a stop, and hands over each line that it prints. */
  follow(params: Start & { readonly onLine: (line: string) => void }): Process;
  /** Runs a command to its end, and resolves with what it printed. */
  run(params: Omit<Start, 'name'>): Promise<string>;
  /** Nothing can be started any more. */
  stopAll(): Promise<void>;
  /** The last lines of the log of that name; empty when there is none. */
  tail(name: string): string;
}

export interface Start {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function createProcesses(params: {
  readonly cwd: string;
  readonly logFolder: string;
  readonly onUnexpectedEnd: (error: Error) => void;
}): Processes {
  const { cwd, logFolder, onUnexpectedEnd } = params;
  const running = new Set<{ readonly child: ChildProcess; wanted: boolean }>();
  let isOver = false;
  // The last resort, for ends that nobody foresaw.
  process.once('exit', () => running.forEach(({ child }) => child.kill('SIGKILL')));
  const logFile = (name: string) => join(logFolder, `${name}.log`);

  function launch(
    start: Start,
    stdout: 'log' | 'pipe',
  ): Process & { readonly child: ChildProcess } {
    refuseWhenOver();
    const log = openSync(logFile(start.name), 'a');
    const child = spawn(process.execPath, start.args, {
      cwd,
      env: { ...cleanEnvironment(), ...start.env },
      stdio: ['ignore', stdout === 'log' ? log : 'pipe', log],
      ...APART,
    });
    closeSync(log);
    const entry = { child, wanted: true };
    running.add(entry);
    child.once('exit', (code, signal) => {
      running.delete(entry);
      const isEnd = stdout === 'pipe' && code === 0;
      if (entry.wanted && !isEnd) {
        onUnexpectedEnd(new Error(`the ${start.name} ended too early (${signal ?? code})`));
      }
    });
    child.once('error', onUnexpectedEnd);
    return {
      child,
      pid: child.pid ?? 0,
      async kill() {
        entry.wanted = false;
        child.kill('SIGKILL');
        await untilGone(child);
      },
    };
  }

  function refuseWhenOver(): void {
    if (isOver) throw new Error('the demo is over');
  }

  return {
    start: (start) => launch(start, 'log'),
    follow({ onLine, ...start }) {
      const launched = launch(start, 'pipe');
      if (launched.child.stdout) createInterface(launched.child.stdout).on('line', onLine);
      return launched;
    },
    run({ args, env }) {
      refuseWhenOver();
      let output = '';
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, args, {
          cwd,
          env: { ...cleanEnvironment(), ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
          ...APART,
        });
        const entry = { child, wanted: true };
        running.add(entry);
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding('utf8').on('data', (text: string) => (output += text));
        }
        child.once('error', reject);
        child.once('close', (code) => {
          running.delete(entry);
          if (code === 0) resolve(output);
          else reject(new Error(`a command failed with exit code ${code}:\n${output.trim()}`));
        });
      });
    },
    async stopAll() {
      isOver = true;
      await Promise.all(
        [...running].map(async (entry) => {
          entry.wanted = false;
          entry.child.kill('SIGTERM');
          const timer = setTimeout(() => entry.child.kill('SIGKILL'), STOP_MS_MAX);
          await untilGone(entry.child);
          clearTimeout(timer);
        }),
      );
    },
    tail(name) {
      if (!existsSync(logFile(name))) return '';
      const lines = readFileSync(logFile(name), 'utf8').trimEnd().split('\n');
      return lines.slice(-TAIL_LINES).join('\n');
    },
  };
}

/** Without settings meant for other runtimes, which would change what the demo shows. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const isOther = (name: string) => /^(SVC_|DATABASE_URL$|RUST_LOG$|WORKER_)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOther(name)));
}

function untilGone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
