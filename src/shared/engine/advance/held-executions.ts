import type { ExecutionId } from '../../domain/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import { BREAKS_TOPIC, PAUSES_TOPIC } from '../wake/wake-bus.ts';
import type { Held } from './held-execution.ts';
import type { Tail } from './snapshot-tail.ts';

/**
 * Executions that wait for a worker, as this process saw them last. The process reads nothing when the
 * worker records a step of a durable function, or settles its item. Correctness does not depend on it:
 * the store refuses a commit on a state that is not the latest.
 *
 * A pause of a workflow changes its executions one by one, later than it stands. From the hint on they
 * are read again, and a reading shows the pause.
 */
export interface HeldExecutions {
  /** A copy: others may have the same execution. Null: not known here. */
  get(id: ExecutionId): Held | null;
  /** Drops an execution that waits for no worker. */
  set(held: Held): void;
  drop(id: ExecutionId): void;
}

const COUNT_MAX = 4_096;
/** A state takes a few bytes of memory for each character that it keeps of its history. */
const CHARS_MAX = 16 * 1024 * 1024;

export function createHeldExecutions(wake: Pick<Wake, 'subscribe'>): HeldExecutions {
  const kept = new Map<ExecutionId, Held>();
  let chars = 0;

  function drop(id: ExecutionId): void {
    const held = kept.get(id);
    if (held === undefined) return;
    kept.delete(id);
    chars -= charsOf(held.tail);
  }

  function clear(): void {
    kept.clear();
    chars = 0;
  }

  for (const topic of [PAUSES_TOPIC, BREAKS_TOPIC]) wake.subscribe(topic, clear);

  return {
    get(id) {
      const held = kept.get(id);
      return held === undefined ? null : { ...held };
    },
    set(held) {
      const { executionId } = held.row;
      drop(executionId);
      if (!waitsForWorker(held)) return;
      kept.set(executionId, { ...held });
      chars += charsOf(held.tail);
      for (const oldest of kept.keys()) {
        if (kept.size <= COUNT_MAX && chars <= CHARS_MAX) break;
        drop(oldest);
      }
    },
    drop,
  };
}

function waitsForWorker({ state }: Held): boolean {
  for (const { phase, queue } of state.live.values()) {
    if (phase === 'work' && queue !== 'engine') return true;
  }
  return false;
}

/** An entry also takes memory that does not depend on its history. */
const ENTRY_CHARS = 1_024;

function charsOf({ stateChars, snapshotChars }: Tail): number {
  return ENTRY_CHARS + stateChars + snapshotChars;
}
