import { randomUUID } from 'node:crypto';

import { type Claim, claimUntilAnswered, sendClaim } from './claim.ts';
import { runFunction } from './run-function.ts';
import { ShutdownError, WorkerRefusedError } from './errors.ts';
import { giveBack } from './give-back.ts';
import { keepLease } from './keep-lease.ts';
import { backOffMs } from './pause.ts';
import { bindLogger } from './logger.ts';
import { registerFunctions } from './register-functions.ts';
import { type Carry, createReports, type Reports } from './reports.ts';
import { runTool } from './run-tool.ts';
import type { Answer } from './send.ts';
import { releaseItem, type Ending, type Held } from './settle-item.ts';
import { isOfPlainRuntime, nameOf, readItems, type WorkItem } from './work-item.ts';
import { readOptions, type Settings, type WorkerOptions } from './worker-options.ts';

/*
 * A worker claims as many items as it has room for, with one long poll, and works on them side by
 * side. Each item ends in one of these ways: complete, continue, fail, suspend, release, or, after a
 * lost lease, none of them. Stopping ends the claims at once; items under way may finish until the deadline, and
 * the worker then releases the rest.
 */

export interface Worker {
  readonly workerId: string;
  /**
   * Works until it is stopped. Rejects with `WorkerRefusedError` when the runtime refuses the worker,
   * for example for its token; no answer is no refusal, and is tried again.
   */
  run(): Promise<void>;
  /**
   * Resolves when the functions are registered, so that they can be started; `run` must be called first
   * or meanwhile. A worker that registers none is ready as soon as it runs, even if the runtime does not
   * answer its claims: its log then says so. Rejects as `run` does, and with `ShutdownError` when the
   * worker stops before it has registered, or before it runs.
   */
  readonly ready: Promise<void>;
  /**
   * Claims nothing more, finishes the items under way, and resolves when that is done. After
   * `deadlineMs` (default 25 000) it aborts and releases what has not finished.
   */
  stop(options?: { readonly deadlineMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const WAIT_MS = 20_000;
/** Kubernetes kills a pod 30 s after SIGTERM by default. */
const DEADLINE_MS = 25_000;
const ITEMS_MAX = 100;
const TOO_EARLY =
  'the worker stops before it has registered its functions: let `ready` resolve before `stop`';

/** Makes a worker for durable functions and tools. It does nothing until `run()`. */
export function createWorker(options: WorkerOptions): Worker {
  const state = new Working(readOptions(options));
  const { signal } = options;
  if (signal?.aborted === true) void state.stop(DEADLINE_MS);
  signal?.addEventListener('abort', () => void state.stop(DEADLINE_MS), { once: true });
  const stop = (given: { readonly deadlineMs?: number } = {}) =>
    state.stop(given.deadlineMs ?? DEADLINE_MS);
  return {
    workerId: state.settings.workerId,
    run: () => state.run(),
    ready: state.ready,
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

class Working {
  readonly settings: Settings;
  readonly ready: Promise<void>;
  #settleReady: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null =
    null;
  readonly #stopping = new AbortController();
  readonly #deadline = new AbortController();
  /** The items under way. */
  readonly #busy = new Set<Promise<void>>();
  /** Claims that are repeated. */
  readonly #asides = new Set<Promise<void>>();
  readonly #reports: Reports;
  /** Places for items that claims without an answer may have leased. */
  #awaited = 0;
  /** The runtime counts the worker among those that claim, until the worker says that it stops. */
  #isCounted = false;
  /**
   * The runtime has no such count, as its last answer showed. It would lease an item to a claim that says so, and
   * could not take it back.
   */
  #isPlain = false;
  readonly #stopped = untilAborted(this.#stopping.signal);
  #running: Promise<void> | null = null;
  #refused: WorkerRefusedError | null = null;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#reports = createReports({
      api: settings.api,
      workerId: settings.workerId,
      carry: () => (this.#stopping.signal.aborted ? null : this.#carry),
    });
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Nobody has to wait for it.
    this.ready.catch(() => undefined);
  }

  run(): Promise<void> {
    this.#running ??= this.#work();
    return this.#running;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    if (this.#running === null) this.#settleReady?.reject(new ShutdownError(TOO_EARLY));
    const timer = setTimeout(() => {
      this.#deadline.abort(new ShutdownError('the worker stops'));
    }, deadlineMs);
    try {
      await this.#running?.catch(() => undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  async #work(): Promise<void> {
    const { settings } = this;
    const { logger, workerId, api } = settings;
    await this.#register();
    if (!this.#stopping.signal.aborted) {
      logger.info({ worker_id: workerId, url: api.url }, 'the worker claims');
    }
    try {
      while (!this.#stopping.signal.aborted) await this.#claimAndBegin();
    } catch (error) {
      // The runtime takes no claim of a worker that it refuses.
      this.#isCounted = false;
      throw error;
    } finally {
      this.#stopping.abort();
      // Nothing else says so if no claim is open, such as when all places are taken.
      await this.#leaveIfCounted();
      // The runtime may have served the claim of a report after that, and counted the worker again.
      await this.#leaveIfCounted();
      logger.info({ worker_id: workerId }, 'the worker has stopped');
    }
    if (this.#refused !== null) throw this.#refused;
  }

  /** Says that the worker stops where that is news, and finishes what is under way. */
  async #leaveIfCounted(): Promise<void> {
    if (this.#isCounted && this.#refused === null) keepUntilDone(this.#asides, this.#leave());
    while (this.#busy.size + this.#asides.size > 0) {
      await Promise.all([...this.#busy, ...this.#asides]);
    }
  }

  async #register(): Promise<void> {
    try {
      if (this.settings.register) await registerFunctions(this.settings, this.#stopping.signal);
      if (this.#stopping.signal.aborted) this.#settleReady?.reject(new ShutdownError(TOO_EARLY));
      else this.#settleReady?.resolve();
    } catch (error) {
      this.#settleReady?.reject(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  async #claimAndBegin(): Promise<void> {
    const free = this.settings.concurrency - this.#busy.size - this.#awaited;
    if (free <= 0) {
      await Promise.race([...this.#busy, ...this.#asides, this.#stopped]);
      return;
    }
    const itemsMax = Math.min(free, ITEMS_MAX);
    const { clock } = this.settings;
    const askedAt = clock.nowMs();
    const claim = { claimId: randomUUID(), itemsMax, waitMs: WAIT_MS };
    const isEmpty = (await this.#claim(claim, false)) === 0;
    // A runtime that knows no `wait_ms` answers at once.
    if (isEmpty && clock.nowMs() - askedAt < WAIT_MS / 2) {
      await clock.pause(backOffMs(2, Math.random()), this.#stopping.signal);
    }
  }

  /** How many items it got. */
  async #claim(claim: Claim, isRepeated: boolean): Promise<number> {
    const { settings } = this;
    const { signal } = this.#stopping;
    const answer = await claimUntilAnswered(settings, { ...claim, isRepeated, signal });
    if (answer !== null) return this.#begin(answer);
    await this.#leave(claim);
    return 0;
  }

  /** `claim`: the one that the stop has interrupted, if any. */
  async #leave(claim: Claim = { claimId: randomUUID(), itemsMax: 1, waitMs: 0 }): Promise<void> {
    this.#isCounted = false;
    if (!this.#isPlain) await giveBack(this.settings, { claim, reports: this.#reports });
  }

  /** Sends reports with a claim for the places that they free. */
  readonly #carry: Carry = async ({ reports, places, timeoutMs }) => {
    const claim = { claimId: randomUUID(), itemsMax: places, waitMs: 0 };
    try {
      const answer = await sendClaim(this.settings, {
        ...claim,
        isRepeated: false,
        reports,
        timeoutMs,
      });
      if (answer.status === 200) this.#begin(answer);
      return answer;
    } catch (error) {
      keepUntilDone(this.#asides, this.#claimAgain(claim));
      throw error;
    }
  };

  /** Claims again what the claim has leased, if anything, as its answer did not come. */
  async #claimAgain(claim: Claim): Promise<void> {
    this.#awaited += claim.itemsMax;
    try {
      await this.#claim(claim, true);
    } catch (error) {
      this.#dropped(error, this.settings.logger);
    } finally {
      this.#awaited -= claim.itemsMax;
    }
  }

  /** How many items the answer has. */
  #begin({ body }: Answer): number {
    this.#isPlain = isOfPlainRuntime(body);
    this.#isCounted = !this.#isPlain;
    const items = readItems(body);
    for (const item of items) keepUntilDone(this.#busy, this.#workOn(item));
    return items.length;
  }

  /** Never rejects: what the runtime refuses stops the worker. */
  async #workOn(item: WorkItem): Promise<void> {
    const { api } = this.settings;
    const reports = this.#reports;
    const name = nameOf(item);
    const logger = bindLogger(this.settings.logger, {
      fields: {
        name,
        execution_id: item.execution_id,
        node_id: item.node_id,
        work_item_id: item.id,
        attempt: item.attempt,
        ...(item.turn !== undefined && { turn: item.turn }),
      },
    });
    const lease = keepLease({ reports, item, deadline: this.#deadline.signal });
    const startedAt = performance.now();
    try {
      const held = { api, reports, item, lost: lease.lost, logger };
      const ending = await this.#dispatch({ name, held, lease, logger });
      const durationMs = Math.round(performance.now() - startedAt);
      const level = ending === 'abandoned' || ending === 'failed' ? 'warn' : 'info';
      logger[level]({ duration_ms: durationMs }, `the item is ${ending}`);
    } catch (error) {
      this.#dropped(error, logger);
    } finally {
      lease.release();
    }
  }

  #dropped(error: unknown, logger: Settings['logger']): void {
    logger.error({ error: String(error) }, 'the item is dropped');
    if (error instanceof WorkerRefusedError) this.#refuse(error);
  }

  #dispatch(given: {
    readonly name: string;
    readonly held: Held;
    readonly lease: ReturnType<typeof keepLease>;
    readonly logger: Settings['logger'];
  }): Promise<Ending> {
    const { name, held } = given;
    const { clock } = this.settings;
    // A claim that was under way as the worker stopped has brought it.
    if (this.#stopping.signal.aborted) return releaseItem(held);
    if (held.item.queue_type === 'function') {
      const served = this.settings.functions.get(name);
      return served === undefined ? releaseItem(held) : runFunction(served, { ...given, clock });
    }
    const tool = this.settings.tools.get(name);
    return tool === undefined ? releaseItem(held) : runTool(tool, { ...given, clock });
  }

  /** 401 and 403 are about the worker; the other answers are about one item. */
  #refuse(error: WorkerRefusedError): void {
    if (error.status !== 401 && error.status !== 403) return;
    this.#refused ??= error;
    this.#stopping.abort();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function keepUntilDone(all: Set<Promise<void>>, work: Promise<void>): void {
  const kept = work.finally(() => all.delete(kept));
  all.add(kept);
}
