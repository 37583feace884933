import { BoundedMap } from '../../domain/bounded-map.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Held } from './held-execution.ts';

/**
 * Executions that rest here and are soon taken up again, so that only what has happened meanwhile is
 * read. Kept where reading would be work: a map over thousands of children comes to rest whenever
 * none of them has just ended, and is told of each end. Nothing rests on it: a commit on a state that
 * is not the last is refused, as ever.
 */
export interface RestingStates {
  /** Null: not known here. */
  take(executionId: ExecutionId): Held | null;
  keep(executionId: ExecutionId, rested: Held | null): void;
}

const KEPT_MAX = 16;
/** Snapshot and tail of an execution that is cheap to read are shorter than this. */
const READ_CHARS_MIN = 64 * 1024;

export function createRestingStates(): RestingStates {
  const kept = new BoundedMap<ExecutionId, Held>(KEPT_MAX);
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
