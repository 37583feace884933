import type { ExecutionId, WorkItemId } from '../../ids.ts';
import { timerName } from '../effect.ts';
import { openEnds } from '../function-run.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import { endingChildrenOf } from '../undo/ending-children.ts';
import { VISITS_MAX } from './blocker.ts';

/** The rows that the caller must look up before it can explain an execution. */
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
export const START_TIMER = timerName({ purpose: 'start_after', nodeId: null, visit: null });
export const DEADLINE_TIMER = timerName({ purpose: 'start_deadline', nodeId: null, visit: null });
/** The end of its parent sets this timer, which cancels the execution. */
export const PARENT_TIMER = timerName({ purpose: 'parent_ended', nodeId: null, visit: null });

/** The most children that are explained too. */
const CHILDREN_MAX = 10;

/** Null: the state is not known. */
export function questionsOf(state: ExecutionState | null): Questions {
  const visits = state === null ? [] : visitsLookedAt(state);
  return {
    workItemIds: visits.flatMap(({ phase, workItemId }) =>
      phase === 'work' && workItemId !== null ? [workItemId] : [],
    ),
    timerNames: [
      WORKFLOW_TIMER,
      PARENT_TIMER,
      ...(state === null || state.startWait !== null ? [START_TIMER, DEADLINE_TIMER] : []),
      ...visits.flatMap(timersOf),
    ],
    childIds: [
      ...visits.flatMap(({ phase, childId }) =>
        phase === 'child' && childId !== null ? [childId] : [],
      ),
      ...(state === null ? [] : endingChildrenOf(state).map(({ childId }) => childId)),
    ].slice(0, CHILDREN_MAX),
  };
}

/** The first visits in order of scheduling, up to the limit. */
export function visitsLookedAt(state: ExecutionState): readonly LiveVisit[] {
  return state.live.values().take(VISITS_MAX).toArray();
}

/** The names of the timers that end a visit's wait: those of a function are several. */
export function timersOf(visit: LiveVisit): readonly string[] {
  const { run, phase } = visit;
  if (phase === 'suspended' && run !== null) return openEnds({ ...visit, run }).timers;
  const name = timerOf(visit);
  return name === null ? [] : [name];
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
    case 'suspended':
      return null;
  }
}
