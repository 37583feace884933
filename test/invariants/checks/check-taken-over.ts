import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import type { Dump, EventOf } from '../dump.ts';
import { beforeOf, type Stories } from '../lineage.ts';
import { foldFunctions, type FunctionVisit } from '../fold-functions.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * A retry, a fork, or the next run of an execution, continues the visits of functions that were under way.
 * Each visit keeps its input and, unless it was rolled back, its number and its journal.
 */
export function checkTakenOver(last: Dump): Violation[] {
  const stories = byExecution(last);
  const left = [...stories].flatMap(([execution, story]) =>
    [...Map.groupBy(visitsOf(story), ({ nodeId }) => nodeId)].flatMap(([nodeId, visits]) =>
      leftBefore(story, nodeId, stories).map((before) => ({ execution, visits, before })),
    ),
  );
  return violations('a function continues with its last visit', left, (of) => {
    const { execution, visits, before } = of;
    if (visits.some((visit) => goesOn(visit, before))) return null;
    const seen = visits.map((visit) => [visit.number, visit.input, carriedOf(visit)]);
    return {
      about: { execution, node: before.visit.nodeId, before: before.visit.workItemId },
      saw: `${JSON.stringify(seen)}, left was ${before.visit.number} ${JSON.stringify(takenOver(before))}`,
    };
  });
}

/**
 * Without the items of maps, which have an index instead of a number, and without visits that a budget
 * held before their first turn: these hand on what they had taken over.
 */
function visitsOf(story: readonly EventOf[]): readonly FunctionVisit[] {
  const visits = [...foldFunctions(story).visits.values()];
  return visits.filter(({ isItem, items }) => !isItem && items.size > 0);
}

interface Left {
  readonly visit: FunctionVisit;
  readonly isRolledBack: boolean;
  /** Retries and forks continue the numbers of visits; a run does not. */
  readonly isNumbered: boolean;
}

/** The visits of a node that were not over in the execution that this one continues. */
function leftBefore(
  [first]: readonly EventOf[],
  nodeId: string,
  stories: Stories,
): readonly Left[] {
  const before = beforeOf(first, stories);
  if (before === null) return [];
  const { story, isRun, rolledBack } = before;
  const visits = visitsOf(story).filter((visit) => visit.nodeId === nodeId);
  if (visits.length === 0) return leftBefore(story, nodeId, stories);
  return visits
    .filter(({ hasCompleted, isFollowed }) => !hasCompleted && !isFollowed)
    .map((visit) => ({
      visit,
      isRolledBack: rolledBack.has(`${nodeId}#${visit.number}`),
      isNumbered: !isRun,
    }));
}

function goesOn(visit: FunctionVisit, left: Left): boolean {
  const { visit: before, isNumbered } = left;
  const expected = takenOver(left);
  const isSame = visit.number === before.number;
  const isRight = !isNumbered || isSame === !expected.isNew;
  const found = { input: visit.input, entries: carriedOf(visit) };
  const { input, entries } = expected;
  return isRight && !visit.isNext && isDeepStrictEqual(found, { input, entries });
}

function carriedOf({ entries }: FunctionVisit): readonly JsonObject[] {
  return entries.filter(({ isCarried }) => isCarried).map(({ entry }) => entry);
}

function takenOver({ visit, isRolledBack }: Left): {
  readonly input: FunctionVisit['input'];
  readonly entries: readonly JsonObject[];
  readonly isNew: boolean;
} {
  const { continued, input, entries } = visit;
  if (continued !== null) return { input: continued.input, entries: [], isNew: true };
  if (isRolledBack) return { input, entries: [], isNew: true };
  return { input, entries: entries.map(withoutSequence), isNew: false };
}

function withoutSequence({
  entry: { event_sequence: _, ...entry },
}: FunctionVisit['entries'][number]): JsonObject {
  return entry;
}
