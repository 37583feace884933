import { spawn } from 'node:child_process';

import { usageError } from '../../cli/exit-code.ts';

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds as `performance.now()`. */
  readonly at: number;
}

/** The process under test. */
export interface WorkerProcess {
  /** Null while it runs. */
  end(): WorkerEnd | null;
  readonly ended: Promise<WorkerEnd>;
  /** The last lines of both streams. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Ends it and all that it has started. */
  kill(): void;
}

const OUTPUT_CHARS_MAX = 4_000;

export function startWorker(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): WorkerProcess {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that nothing of it is left behind.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  let end: WorkerEnd | null = null;
  const ended = new Promise<WorkerEnd>((resolve, reject) => {
    child.once('error', (error) => {
      reject(usageError(`cannot start ${program}: ${error.message}`, error));
    });
    child.once('exit', (code, signal) => {
      end = { code, signal, at: performance.now() };
      resolve(end);
    });
  });
  ended.catch(() => undefined);
  return {
    ended,
    end: () => end,
    output: () => output,
    signal: (name) => void child.kill(name),
    kill() {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
  };
}
