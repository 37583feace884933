import type { ExecutionId, WorkItemId } from '../../ids.ts';
import { timerName } from '../effect.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import { VISITS_MAX } from './blocker.ts';

/** What has to be looked up about an execution before it can be explained. */
export interface Questions {
  readonly workItemIds: readonly WorkItemId[];
  readonly timerNames: readonly string[];
  readonly childIds: readonly ExecutionId[];
}

export const WORKFLOW_TIMER = timerName({
  purpose: 'workflow_timeout',
  nodeId: null,
  visit: null,
});
/** Written by the end of its parent: it is to be cancelled. */
export const PARENT_TIMER = timerName({ purpose: 'parent_ended', nodeId: null, visit: null });

/** Children that are looked into themselves. */
const CHILDREN_MAX = 10;

/** Null: of an execution whose state is not known. */
export function questionsOf(state: ExecutionState | null): Questions {
  const visits = state === null ? [] : visitsLookedAt(state);
  return {
    workItemIds: visits.flatMap(({ phase, workItemId }) =>
      phase === 'work' && workItemId !== null ? [workItemId] : [],
    ),
    timerNames: [WORKFLOW_TIMER, PARENT_TIMER, ...visits.flatMap((visit) => timerOf(visit) ?? [])],
    childIds: visits
      .flatMap(({ phase, childId }) => (phase === 'child' && childId !== null ? [childId] : []))
      .slice(0, CHILDREN_MAX),
  };
}

/** The first so many: those that were scheduled first. */
export function visitsLookedAt(state: ExecutionState): readonly LiveVisit[] {
  return state.live.values().take(VISITS_MAX).toArray();
}

/** The name of the timer that ends a visit's wait, if it may have one. */
export function timerOf({ phase, nodeId, visit }: LiveVisit): string | null {
  switch (phase) {
    case 'approval':
      return timerName({ purpose: 'approval_timeout', nodeId, visit });
    case 'timer':
    case 'either':
      return timerName({ purpose: 'wait', nodeId, visit });
    case 'none':
    case 'work':
    case 'event':
    case 'map':
    case 'child':
      return null;
  }
}
