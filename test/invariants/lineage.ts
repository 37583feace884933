import { isJsonObject } from '../../src/shared/domain/json.ts';
import type { EventOf } from './dump.ts';
import { ENDS, visitOf } from './fold-history.ts';
import { deedsOf, type History } from './history.ts';

/** Executions that continue others: retries, forks, and the runs of an execution. */

export type Stories = ReadonlyMap<string, readonly EventOf[]>;

/** Null: it is no retry. */
export function retriedFrom(first: EventOf | undefined): string | null {
  if (first?.kind !== 'WorkflowStarted') return null;
  const from = first.payload['retried_from'];
  const id = isJsonObject(from) ? from['execution_id'] : null;
  return typeof id === 'string' ? id : null;
}

/** Where a fork left its original. */
export interface ForkPoint {
  readonly from: string;
  readonly sequence: number;
  /** The node that the request named; null: none. */
  readonly nodeId: string | null;
}

/** Null: it is no fork. */
export function forkedFrom(first: EventOf | undefined): ForkPoint | null {
  if (first?.kind !== 'WorkflowStarted') return null;
  const point = first.payload['forked_from'];
  if (!isJsonObject(point) || typeof point['execution_id'] !== 'string') return null;
  const { execution_id: from, sequence, node_id: nodeId } = point;
  return { from, sequence: Number(sequence), nodeId: typeof nodeId === 'string' ? nodeId : null };
}

/**
 * The events that a fork keeps: those up to its point, without those of the end. The journal that a visit
 * takes over belongs to its beginning, although its event follows.
 */
export function keptAt(story: readonly EventOf[], sequence: number): readonly EventOf[] {
  const kept = story.slice(0, sequence);
  const end = kept.findIndex(({ kind }) => kind === 'WorkflowEnding' || kind in ENDS);
  if (end >= 0) return kept.slice(0, end);
  const begun = new Set(kept.filter(({ kind }) => kind === 'NodeScheduled').map(visitOf));
  const takenOver = story.slice(sequence).filter(isTakenOver);
  return [...kept, ...takenOver.filter((event) => begun.has(visitOf(event)))];
}

function isTakenOver({ kind, payload }: EventOf): boolean {
  return kind === 'StepRecorded' && payload['carried'] === true;
}

export interface Before {
  readonly story: readonly EventOf[];
  /** Visits whose compensations had been scheduled by then. */
  readonly rolledBack: ReadonlySet<string>;
  /** The usage in these events counts. */
  readonly used: readonly EventOf[];
  readonly isRun: boolean;
}

/** The story that an execution continues; null: it continues none, or one that nobody saw. */
export function beforeOf(first: EventOf | undefined, stories: Stories): Before | null {
  const forked = forkedFrom(first);
  const retried = retriedFrom(first);
  const from = forked?.from ?? retried ?? first?.payload['continued_from'];
  const story = typeof from === 'string' ? stories.get(from) : undefined;
  if (story === undefined) return null;
  const used = story.slice(0, forked?.sequence);
  const rollbacks = used.filter(({ kind }) => kind === 'RollbackScheduled');
  return {
    story: forked === null ? story : keptAt(story, forked.sequence),
    rolledBack: new Set(rollbacks.map(visitOf)),
    used,
    isRun: forked === null && retried === null,
  };
}

/** The events of all executions that a retry or a fork continues, in order. */
export function originsOf(first: EventOf, stories: Stories): readonly EventOf[] {
  const before = beforeOf(first, stories);
  if (before === null || before.isRun) return [];
  const [origin] = before.story;
  return [...(origin === undefined ? [] : originsOf(origin, stories)), ...before.story];
}

export function originIdsOf(first: EventOf, stories: Stories): readonly string[] {
  return [...new Set(originsOf(first, stories).map((event) => event.execution_id))];
}

/** Executions of which a client asked for a retry or a fork with a patch. */
export function patchedIn(history: History): ReadonlySet<string> {
  const deeds = [...deedsOf(history, 'retry'), ...deedsOf(history, 'fork')];
  return new Set(deeds.flatMap(({ asks }) => (asks.statePatch === null ? [] : [asks.executionId])));
}
