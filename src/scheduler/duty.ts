import type { ShardLocks } from '../shared/store/store.ts';
import type { LoopOptions } from './loop.ts';
import { NOTHING } from './loop.ts';

/**
 * A duty that one process does for all others, under a lock in the database.
 *
 * The lock only saves the others the work: two processes at a time do no harm. Asking costs a
 * statement, so the answer is cached for a while, longer when the process is quiet. A holder that
 * crashes loses the lock at once; a frozen one keeps it, so the others still do a round from time
 * to time (`standingBy`).
 */
export interface Duty {
  /** True: this process does it. */
  isMine(): Promise<boolean>;
}

export function createDuty(params: {
  readonly locks: ShardLocks;
  readonly duty: Parameters<ShardLocks['tryDuty']>[0];
  readonly now: () => number;
  readonly isQuiet: () => boolean;
}): Duty {
  let answer: Promise<boolean> = Promise.resolve(false);
  let held = false;
  let askedAt = -Infinity;

  async function ask(): Promise<boolean> {
    held = await params.locks.tryDuty(params.duty);
    return held;
  }

  function keepsMs(): number {
    if (params.isQuiet()) return QUIET_KEEPS_MS;
    return held ? HELD_KEEPS_MS : REFUSED_KEEPS_MS;
  }

  return {
    isMine() {
      if (params.now() - askedAt >= keepsMs()) {
        askedAt = params.now();
        answer = ask();
        // A question that failed is asked again by the next round, not answered from memory.
        answer.catch(() => (askedAt = -Infinity));
      }
      return answer;
    },
  };
}

/** The rounds of a loop whose work is a duty: all of them when it is ours, few when it is not. */
export function standingBy(params: {
  readonly duty: Duty;
  readonly everyMs: number;
  readonly now: () => number;
  readonly run: LoopOptions['run'];
}): LoopOptions['run'] {
  let lastRound = params.now();
  return async (round) => {
    const isMine = await params.duty.isMine();
    if (!isMine && params.now() - lastRound < params.everyMs) return NOTHING;
    lastRound = params.now();
    return params.run(round);
  };
}

const HELD_KEEPS_MS = 10_000;
const REFUSED_KEEPS_MS = 2000;
const QUIET_KEEPS_MS = 20_000;
