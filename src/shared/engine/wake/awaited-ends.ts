import { BoundedMap } from '../../domain/bounded-map.ts';
import type { ExecutionId } from '../../domain/ids.ts';

/*
 * Decides which ends of executions a process reports to the others. For most executions nobody waits
 * in another process, so a process reports an end only if another one has asked for it.
 *
 * A process with a waiter sends `awaited:<id>`. Every other process keeps the id, and sends
 * `ended:<id>` when that execution ends there. The end may come before the question: a process that
 * knows the id among its last ends answers at once. Both lists are bounded and drop their oldest
 * entries, and a hint may be lost. The waiter then finds the end when it polls.
 */

const AWAITED = 'awaited:';
const ENDED = 'ended:';
/** More waiters than all processes of a cluster can have by default. */
const AWAITED_MAX = 20_000;
/** Ends of a tenth of a second under the highest load: a question takes a few milliseconds. */
const RECENT_MAX = 1_000;

/** Says to other processes that somebody here waits for the end. */
export function awaitedTopic(executionId: ExecutionId): string {
  return AWAITED + executionId;
}

/** For those who wait for the end alone. */
export function endedTopic(executionId: ExecutionId): string {
  return ENDED + executionId;
}

export interface AwaitedEnds {
  /** Whether others need to hear of a topic that was notified here. */
  concernsOthers(topic: string): boolean;
  /** The topics that answer those of other processes. */
  answersTo(topics: readonly string[]): readonly string[];
}

export function createAwaitedEnds(): AwaitedEnds {
  const awaited = new BoundedMap<string, true>(AWAITED_MAX);
  const recent = new BoundedMap<string, true>(RECENT_MAX);
  return {
    concernsOthers(topic) {
      if (topic.startsWith(AWAITED)) return true;
      if (!topic.startsWith(ENDED)) return false;
      const id = topic.slice(ENDED.length);
      recent.set(id, true);
      return awaited.delete(id);
    },
    answersTo(topics) {
      const answers: string[] = [];
      for (const topic of topics) {
        if (topic.startsWith(ENDED)) awaited.delete(topic.slice(ENDED.length));
        if (!topic.startsWith(AWAITED)) continue;
        const id = topic.slice(AWAITED.length);
        if (recent.has(id)) answers.push(ENDED + id);
        else awaited.set(id, true);
      }
      return answers;
    },
  };
}
