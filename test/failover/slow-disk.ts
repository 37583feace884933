import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { eventually } from '../support/eventually.ts';
import { isTracedBy } from './process-tree.ts';

/*
 * A disk that answers slowly: strace stops each process before a call that writes to a file or
 * flushes one, for a time, and the call then succeeds. It also finds processes that start later.
 */

const CALLS = 'pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range';
/** It ends with this process; the traced processes then continue undelayed. */
const WITH_THIS = ['--pdeathsig', 'KILL'];
const ATTACH_MS_MAX = 10_000;

/** The requirement that this machine lacks, and how to add it; null: none. */
export function lacksSlowDisk(): string | null {
  const { error, status, stderr } = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return 'install the package strace';
  return status === 0 ? null : `strace must be allowed to trace processes here: ${stderr.trim()}`;
}

export class SlowDisk {
  readonly #tracer: ChildProcess;
  readonly #complaints: string[] = [];
  #delayed = 0;

  /** The writes of these processes take longer from now on. */
  static async begin(pids: readonly number[], delayMs: number): Promise<SlowDisk> {
    const disk = new SlowDisk(pids, delayMs);
    const { pid } = disk.#tracer;
    try {
      await eventually(
        () => {
          const free = pids.filter((traced) => !isTracedBy(traced, pid));
          if (free.length > 0) throw new Error(`strace does not trace ${free.join(', ')}`);
        },
        { withinMs: ATTACH_MS_MAX },
      );
    } catch (cause) {
      const { delayed } = await disk.end();
      throw new Error(`${delayed} writes were slow: ${disk.#complaints.join('; ')}`, { cause });
    }
    return disk;
  }

  private constructor(pids: readonly number[], delayMs: number) {
    const inject = `inject=${CALLS}:delay_enter=${delayMs * 1_000}`;
    // Contents of the database do not belong into a log.
    const what = ['-f', '-qq', '-s', '0', '-e', `trace=${CALLS}`, '-e', inject];
    this.#tracer = spawn('setpriv', [...WITH_THIS, 'strace', ...what, '-p', pids.join()], {
      // Its own session: an interrupt in the terminal reaches only this process.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (this.#tracer.stderr === null) throw new Error('strace has no output');
    createInterface(this.#tracer.stderr).on('line', (line) => {
      if (line.endsWith('(DELAYED)')) this.#delayed += 1;
      if (line.startsWith('strace: ')) this.#complaints.push(line);
    });
  }

  /** The processes continue at their usual pace. Returns how many calls were slow. */
  async end(): Promise<{ readonly delayed: number }> {
    const { exitCode, signalCode } = this.#tracer;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#tracer, 'close');
      this.#tracer.kill('SIGTERM');
      await ended;
    }
    return { delayed: this.#delayed };
  }
}
