import { spawn } from 'node:child_process';
import { once } from 'node:events';

/*
 * Runs a program with a limit of its time on processors, which a busy machine does not shorten. The
 * shell sets the limit, which holds for each process that the program starts, too.
 */

export interface Ran {
  /** `late`: it used up its time. `stuck`: it did nothing for long, so nothing is known. */
  readonly ended: 'passed' | 'failed' | 'late' | 'stuck';
  readonly output: string;
  /** The time of all its processes on processors. */
  readonly cpuSeconds: number;
}

/** A kill by the limit, as the shell reports it: SIGXCPU, or SIGKILL where both limits are one. */
const KILLED = [128 + 24, 128 + 9];
const SCRIPT = 'ulimit -t "$0"; "$@"; code=$?; times; exit $code';

export async function runLimited(
  command: readonly string[],
  of: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly cpuSecondsMax: number;
    /** Far above what the program takes on a busy machine: it waits for something that never comes. */
    readonly stuckMs: number;
  },
): Promise<Ran> {
  const { cwd, env = {}, cpuSecondsMax, stuckMs } = of;
  const child = spawn('sh', ['-c', SCRIPT, `${cpuSecondsMax}`, ...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all its processes end together.
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', end);
  let isStuck = false;
  const tooLong = setTimeout(() => {
    isStuck = true;
    end();
  }, stuckMs);
  let output = '';
  const take = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(tooLong);
  process.off('exit', end);
  const cpuSeconds = readTimes(output);
  if (code === 0) return { ended: 'passed', output, cpuSeconds };
  if (code === null || isStuck) return { ended: 'stuck', output, cpuSeconds };
  return { ended: KILLED.includes(code) ? 'late' : 'failed', output, cpuSeconds };
}

/** The last line of `times` is about the processes that the shell has started: user and system. */
function readTimes(output: string): number {
  const found = [...output.matchAll(/^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/gm)].at(-1) ?? [];
  const [, ...numbers] = found.map(Number);
  const [userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = numbers;
  return (userMinutes + systemMinutes) * 60 + user + system;
}
