import type { ClaimPace } from '../scheduling/claim-pace.ts';
import type { Cancel, Timers } from '../scheduling/timers.ts';

/**
 * Whose turn it is to look at queues by the clock, among the claims of this process that wait for the
 * same queues. One timer wakes the one that has waited longest, so thousands of waiting claims cost
 * nothing between two looks.
 */
export interface LookTurns {
  /** Calls `onTurn` once, unless the claim leaves before by calling the result. */
  wait(key: string, onTurn: () => void): () => void;
}

/** Time for a claim that got its turn to begin its look. */
const TURN_MS = 100;

interface Queue {
  readonly waiting: Set<() => void>;
  /** When the timer is due. */
  dueMs: number;
  cancel: Cancel;
}

export function createLookTurns(deps: {
  readonly timers: Timers;
  readonly claimPace: Pick<ClaimPace, 'untilLookMs'>;
}): LookTurns {
  const { timers, claimPace } = deps;
  const queues = new Map<string, Queue>();

  function queueFor(key: string): Queue {
    const known = queues.get(key);
    if (known !== undefined) return known;
    const queue: Queue = { waiting: new Set(), dueMs: Infinity, cancel: () => undefined };
    queues.set(key, queue);
    return queue;
  }

  function arm(key: string, queue: Queue, afterMs: number): void {
    queue.cancel();
    queue.dueMs = timers.now() + afterMs;
    queue.cancel = timers.after(afterMs, () => {
      const untilLookMs = claimPace.untilLookMs(key);
      if (untilLookMs > 0) return arm(key, queue, untilLookMs);
      arm(key, queue, TURN_MS);
      const [first] = queue.waiting;
      first?.();
    });
  }

  return {
    wait(key, onTurn) {
      const queue = queueFor(key);
      // The pace may have become faster since the timer was set.
      const untilLookMs = claimPace.untilLookMs(key);
      if (timers.now() + untilLookMs < queue.dueMs) arm(key, queue, untilLookMs);
      // Two claims with one function are two claims.
      const turn = () => {
        queue.waiting.delete(turn);
        onTurn();
      };
      queue.waiting.add(turn);
      return () => {
        queue.waiting.delete(turn);
        if (queue.waiting.size > 0 || queues.get(key) !== queue) return;
        queue.cancel();
        queues.delete(key);
      };
    },
  };
}
