import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * A request says here that its reads may come from a replica, which may be behind; the store learns of
 * it without an argument of every method. Only lists say so: nothing that decides, and no single
 * execution, is read within such a request. A request that has written, or whose read a replica could
 * not answer, reads from the primary from then on: it sees what it wrote, and goes back and forth no
 * more than once.
 */

export interface LaggingReads {
  /** Null: every read came from the primary. Otherwise, no answer is behind for longer. */
  readonly stalenessMs: number | null;
  /** Runs a part of the request. */
  run<Result>(work: () => Result): Result;
  /** The request has its answer: what it has begun reads from the primary. */
  end(): void;
}

/** The request that a store serves. */
export interface LaggingScope {
  /** Whether the next read may lag. */
  readonly mayLag: boolean;
  stayOnPrimary(): void;
  noteStaleness(ms: number): void;
}

export function beginLaggingReads(): LaggingReads {
  let mayLag = true;
  let stalenessMs: number | null = null;
  const scope: LaggingScope = {
    get mayLag() {
      return mayLag;
    },
    stayOnPrimary() {
      mayLag = false;
    },
    noteStaleness(ms) {
      stalenessMs = Math.max(stalenessMs ?? 0, ms);
    },
  };
  return {
    get stalenessMs() {
      return stalenessMs;
    },
    run: (work) => scopes.run(scope, work),
    end() {
      mayLag = false;
    },
  };
}

/** Null outside of such a request. */
export function laggingScope(): LaggingScope | null {
  return scopes.getStore() ?? null;
}

const scopes = new AsyncLocalStorage<LaggingScope>();
