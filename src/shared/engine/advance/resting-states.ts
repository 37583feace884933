import { BoundedMap } from '../../domain/bounded-map.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import { BREAKS_TOPIC } from '../wake/wake-bus.ts';
import type { Held } from './held-execution.ts';

/**
 * A cache of idle executions that soon continue, so that only newer events are read. It keeps those
 * that are expensive to read: the runner of a map over thousands of children stops between their
 * ends, and continues at each end. Correctness does not depend on it: the store refuses a commit on
 * a state that is not the latest. After a break of the database's connections it forgets all.
 */
export interface RestingStates {
  /** Null: not known here. */
  take(executionId: ExecutionId): Held | null;
  keep(executionId: ExecutionId, rested: Held | null): void;
}

const KEPT_MAX = 16;
/** Snapshot and tail of an execution that is cheap to read are shorter than this. */
const READ_CHARS_MIN = 64 * 1024;

export function createRestingStates(wake: Pick<Wake, 'subscribe'>): RestingStates {
  const kept = new BoundedMap<ExecutionId, Held>(KEPT_MAX);
  wake.subscribe(BREAKS_TOPIC, () => kept.clear());
  return {
    take(executionId) {
      const known = kept.get(executionId) ?? null;
      kept.delete(executionId);
      return known;
    },
    keep(executionId, rested) {
      if (rested === null || isTerminal(rested.state.status)) return;
      const { snapshotChars, chars } = rested.tail;
      const waits = rested.state.live.values().some((visit) => visit.phase === 'child');
      if (!waits || snapshotChars + chars < READ_CHARS_MIN) return;
      kept.set(executionId, rested);
    },
  };
}
