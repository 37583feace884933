import { setImmediate } from 'node:timers/promises';

import { LeaseLostError, silentLogger } from 'svc-sdk/worker';

import type { FunctionContext } from '../../../../sdk/typescript/src/functions/context.ts';
import type { Entry, Journal, Wait } from '../../../../sdk/typescript/src/functions/journal.ts';
import { runTurn, type TurnOutcome } from '../../../../sdk/typescript/src/functions/run-turn.ts';

/** The process dies: only the recorded entries of the turn remain. */
export class Crash extends Error {}

export interface MemoryOptions {
  /** Called before and after each commit, and around each effect; throws `Crash` to die there. */
  readonly meet?: (point: string) => void;
  /** The results of waits; by default null for timers, and the identity for all others. */
  readonly satisfy?: (wait: Wait) => Entry | null;
  /** Whether a wait may be satisfied within the suspend. */
  readonly answersAtOnce?: (wait: Wait) => boolean;
}

/**
 * The runtime's side of functions, in memory: a visit's journal, its waits, and turns until the
 * function ends. As in the protocol, it satisfies waits between turns, or in a suspend. A function
 * that continues as new begins the next visit, with a separate journal.
 */
export class MemoryRuntime {
  /** The journal of the current visit. */
  readonly entries: Entry[] = [];
  readonly waits = new Map<string, Wait>();
  /** The inputs of the visits, in order. */
  readonly inputs: object[] = [{}];
  turns = 0;
  attempts = 0;
  nowMs = 1_000_000;
  readonly #options: MemoryOptions;
  #stopping = new AbortController();

  constructor(options: MemoryOptions = {}) {
    this.#options = options;
  }

  /** Runs turns until the function completes or fails; a crash begins another turn. */
  async runToEnd(run: (ctx: FunctionContext, input: never) => unknown): Promise<TurnOutcome> {
    for (let turns = 0; turns < 2000; turns += 1) {
      const outcome = await this.runOne(run);
      if (outcome === null || outcome.kind === 'continued') continue;
      if (outcome.kind !== 'suspended') return outcome;
      this.satisfyOne();
    }
    throw new Error('the function does not end');
  }

  /** Runs one turn; null when it crashed. */
  async runOne(
    run: (ctx: FunctionContext, input: never) => unknown,
    mode: 'run' | 'rollback' = 'run',
  ): Promise<TurnOutcome | null> {
    const turn = this.turns;
    this.#stopping = new AbortController();
    this.turns += 1;
    try {
      const outcome = await runTurn({
        run: async (ctx, input) => ({ value: await run(ctx, input) }),
        input: this.inputs.at(-1),
        mode,
        journal: this.#journal(mode),
        facts: {
          executionId: 'exec_1',
          nodeId: 'run',
          turn,
          attempt: this.attempts,
          idempotencyKey: `visit-${this.inputs.length}`,
          traceparent: null,
        },
        stopped: this.#stopping.signal,
        logger: silentLogger,
        patience: { drained: () => setImmediate(), lost: drainedOften },
        nowMs: () => this.nowMs,
        pause: async () => undefined,
        strict: true,
      });
      if (outcome.kind === 'completed' || outcome.kind === 'failed') {
        this.#meet('before the end');
        this.entries.push(...outcome.entries);
      }
      if (outcome.kind === 'continued') this.#beginVisit(outcome.input);
      if (outcome.kind !== 'completed') return outcome;
      return { ...outcome, output: (outcome.output as { value: unknown }).value };
    } catch (error) {
      if (!(error instanceof Crash || error instanceof LeaseLostError)) throw error;
      this.attempts += 1;
      return null;
    }
  }

  /** Ends the current turn in the middle of a step: its further actions have no effect. */
  kill(): void {
    this.#stopping.abort(new LeaseLostError('killed'));
  }

  /** Satisfies the first possible wait, between turns, so that the next turn finds it. */
  satisfyOne(): void {
    for (const wait of this.waits.values()) {
      const entry = this.#satisfy(wait);
      if (entry === null) continue;
      this.waits.delete(wait.identity);
      this.entries.push(entry);
      return;
    }
    throw new Error('no open wait can be satisfied');
  }

  #beginVisit(input: object): void {
    this.#meet('before the next visit');
    this.inputs.push(input);
    this.entries.splice(0);
    this.waits.clear();
    this.turns = 0;
    this.attempts = 0;
  }

  #journal(mode: 'run' | 'rollback'): Journal {
    const entries = structuredClone(this.entries);
    let length = entries.length;
    const { signal } = this.#stopping;
    const isOver = () => signal.aborted;
    const commit = (own: readonly Entry[]) => {
      this.#meet('before a commit');
      if (isOver()) throw new Crash();
      if (length !== this.entries.length) throw new Error('the journal has another length');
      for (const { identity } of own) {
        if (this.entries.some((entry) => entry.identity === identity)) {
          throw new Error(`${identity} is recorded twice`);
        }
      }
      this.entries.push(...structuredClone([...own]));
      length = this.entries.length;
    };
    return {
      entries,
      record: async (own) => {
        await setImmediate();
        commit(own);
        this.#meet('after a commit');
        return null;
      },
      suspend: async (own, waits) => {
        await setImmediate();
        if (mode === 'rollback') throw new Error('a rollback does not suspend');
        commit(own);
        this.waits.clear();
        for (const wait of waits) this.waits.set(wait.identity, wait);
        const given = waits
          .filter((wait) => this.#options.answersAtOnce?.(wait) === true)
          .map((wait) => this.#satisfy(wait))
          .filter((entry) => entry !== null);
        for (const { identity } of given) this.waits.delete(identity);
        this.entries.push(...given);
        length = this.entries.length;
        this.#meet('after a suspend');
        return given.length > 0 ? structuredClone(given) : null;
      },
    };
  }

  #meet(point: string): void {
    this.#options.meet?.(point);
  }

  #satisfy(wait: Wait): Entry | null {
    const { identity, kind } = wait;
    if (this.#options.satisfy !== undefined) return this.#options.satisfy(wait);
    return { identity, kind, output: kind === 'timer' ? null : { for: identity } };
  }
}

async function drainedOften(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await setImmediate();
}
