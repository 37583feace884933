import { MessageChannel } from 'node:worker_threads';

import type { Piscina } from 'piscina';

import { SvcError } from '../../shared/domain/errors.ts';
import type { AnnouncedTask } from './tasks/announce-start.ts';
import { createTurns, TurnRefusedError } from './turns.ts';
import type { LimitedCaller, TurnSettings } from './turns.ts';

/**
 * Worker threads for tasks that may be hostile: each has a time and a memory limit, and tenants take
 * turns.
 *
 * Tasks wait for their turn, not in piscina: there the time limit would run while a task waits, and
 * a pool without idle threads that cut off the one it had would not start another for those waiting.
 * A task that is cut off takes its thread with it; the next one starts a fresh thread.
 */
export interface Threads {
  /** Rejects with TaskLimitError, or with TurnRefusedError when it does not run. */
  run(task: ThreadTask): Promise<unknown>;
  use(): { readonly threads: number; readonly waiting: number };
  /** Lets what is running end (within its time limit), refuses what waits and what comes. */
  close(): Promise<void>;
}

export interface ThreadTask {
  /** URL of the module. */
  readonly file: string;
  /** Its exported function. */
  readonly name: string;
  readonly input: unknown;
  readonly caller: LimitedCaller;
}

/** The task took longer, or more memory, than a task may. */
export class TaskLimitError extends Error {
  override readonly name = 'TaskLimitError';
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory', options: { readonly cause?: unknown } = {}) {
    super(`a CPU-bound task exceeded its ${limit} limit`, options);
    this.limit = limit;
  }
}

/**
 * The time limit of a task counts from its start: a thread that is ended while it still comes up
 * does not always go, and would keep the process from exiting.
 */
const START_MS_MAX = 60_000;
const STARTS_MAX = 5;
const NEVER_BEGUN = Symbol('never begun');
const ABANDONED = Symbol('abandoned');
/** How long an abandoned task may still run, since a new thread costs as much time. */
const ABANDONED_MS = 100;
/**
 * Limits of a thread: V8 would take ten times as much memory, and keep it as long as the thread
 * lives.
 */
const YOUNG_MIB_MAX = 8;

export interface ThreadSettings extends TurnSettings {
  readonly taskMsMax: number;
  readonly idleMs: number;
  readonly memoryMiBMax: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onThreadError: (error: unknown) => void;
}

export function createThreads(options: ThreadSettings): Threads {
  let pool: Piscina | null = null;
  const turns = createTurns(options);
  const running = new Set<Promise<unknown>>();
  /** Handed to piscina, and not announced by a thread. */
  const unbegun = new Set<AbortController>();

  /** With the first task: many a process never has one. */
  async function openPool(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    if (pool !== null) return pool;
    pool = new Piscina({
      minThreads: 0,
      maxThreads: options.threadsMax,
      idleTimeout: options.idleMs,
      resourceLimits: {
        maxOldGenerationSizeMb: options.memoryMiBMax,
        maxYoungGenerationSizeMb: YOUNG_MIB_MAX,
      },
      // Tasks need none of the process's secrets.
      env: {},
    });
    pool.on('error', (error: unknown) => {
      options.onThreadError(error);
      // It had no task yet, and whose it would have been nobody knows: piscina starts no other.
      for (const task of unbegun) task.abort(NEVER_BEGUN);
    });
    return pool;
  }

  async function run(task: ThreadTask): Promise<unknown> {
    const done = runInTurn(task);
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
    }
  }

  async function runInTurn(task: ThreadTask): Promise<unknown> {
    const turn = await turns.take(task.caller);
    const begun = options.now();
    try {
      return await runOnSomeThread(task);
    } finally {
      turn.end(options.now() - begun);
    }
  }

  /** Threads that die as they start take no task along, as nothing of it was done. */
  async function runOnSomeThread(task: ThreadTask): Promise<unknown> {
    for (let start = 1; start <= STARTS_MAX; start += 1) {
      const result = await runLimited(task);
      if (result !== NEVER_BEGUN) return result;
    }
    throw new SvcError('unavailable', 'no worker thread can be started', {
      headers: { 'Retry-After': '1' },
    });
  }

  async function runLimited({ file, name, input, caller }: ThreadTask): Promise<unknown> {
    const limit = new AbortController();
    let leaving: NodeJS.Timeout | null = null;
    const leave = () => {
      leaving = setTimeout(() => limit.abort(ABANDONED), ABANDONED_MS);
    };
    caller.signal?.addEventListener('abort', leave, { once: true });
    if (caller.signal?.aborted === true) leave();
    const { port1: told, port2: began } = new MessageChannel();
    let timer = setTimeout(() => limit.abort(), START_MS_MAX);
    unbegun.add(limit);
    told.once('message', () => {
      unbegun.delete(limit);
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), options.taskMsMax);
    });
    try {
      const task: AnnouncedTask<unknown> = { input, began };
      const { signal } = limit;
      const open = await openPool();
      return await open.run(task, { filename: file, name, signal, transferList: [began] });
    } catch (error) {
      if (limit.signal.reason === NEVER_BEGUN) return NEVER_BEGUN;
      if (limit.signal.reason === ABANDONED) throw new TurnRefusedError('abandoned');
      if (limit.signal.aborted) throw new TaskLimitError('time', { cause: error });
      if (isOutOfMemory(error)) throw new TaskLimitError('memory', { cause: error });
      throw error;
    } finally {
      unbegun.delete(limit);
      clearTimeout(timer);
      if (leaving !== null) clearTimeout(leaving);
      caller.signal?.removeEventListener('abort', leave);
      told.close();
    }
  }

  return {
    run,
    use: () => ({ threads: pool?.threads.length ?? 0, waiting: turns.waiting() }),
    async close() {
      turns.close();
      await Promise.allSettled(running);
      await pool?.destroy();
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
