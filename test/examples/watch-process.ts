import { spawn, type ChildProcess } from 'node:child_process';

export interface WatchedProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The output of both streams so far. */
  output(): string;
  /** Resolves when the output matches; rejects when the process has ended without it. */
  waitFor(pattern: RegExp): Promise<void>;
}

/** Starts a program, by default on this Node, with only the given environment. */
export function watchProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program: string = process.execPath,
): WatchedProcess {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let isOver = false;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      tell();
    });
  }
  return {
    process: child,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        isOver = true;
        tell();
        resolve({ code, signal });
      });
    }),
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const isThere = pattern.test(output);
          if (!isThere && !isOver) return;
          listeners.delete(check);
          if (isThere) resolve();
          else reject(new Error(`it ended without printing ${String(pattern)}:\n${output}`));
        };
        listeners.add(check);
        check();
      }),
  };
}
