import type { WorkItemId } from '../ids.ts';
import type { HeldBudget } from '../budget/budget.ts';
import type { Policy } from '../policy/policy.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import { answerFunctions } from './decisions/answer-functions.ts';
import { answerSignals } from './decisions/answer-signals.ts';
import { continueAsNew } from './decisions/continue-as-new.ts';
import { endExecution, endOnFailure } from './decisions/end-execution.ts';
import { feedMaps } from './decisions/feed-maps.ts';
import { matchExternalEvents } from './decisions/match-external-events.ts';
import { skipUnreachable } from './decisions/skip-unreachable.ts';
import { startArrivals } from './decisions/start-arrivals.ts';
import { startFinalizers } from './decisions/start-finalizers.ts';
import { failUnbegun, startsInTime } from './decisions/start-deadline.ts';
import { startUndo } from './decisions/start-undo.ts';
import { startWorkflowTimer } from './decisions/start-workflow-timer.ts';
import { deriveStatus } from './derive-status.ts';
import { draftOf, ownedDraft } from './draft.ts';
import type { Effect } from './effect.ts';
import type { ExecutionEvent } from './event.ts';
import { type ExecutionState, isDelayed, isPausedByOperator } from './state.ts';
import { isTerminal } from './status.ts';
import type { Turn } from './turn.ts';
import { undosAwaitChildren } from './undo/ending-children.ts';

/**
 * The most nodes that one decision may enter, so that a loop of pure nodes still commits on the
 * way.
 */
const ENTRIES_MAX = 256;

export interface Decision {
  readonly events: readonly ExecutionEvent[];
  readonly effects: readonly Effect[];
  /** The state after those events. */
  readonly next: ExecutionState;
  /** There is more to decide, after committing this. */
  readonly more: boolean;
}

/**
 * Derives the consequences of every fact recorded up to `state.sequence`, all at once. Pure: the
 * same plan and state give the same decision, except for work item ids, which come from
 * `newWorkItemId`. So when the store refuses a commit because the execution has moved, the caller
 * decides again on the newer state. While an execution is paused, the only consequence is that its
 * time limit starts: the limit is not paused.
 */
export function decide(params: {
  readonly plan: Plan;
  readonly state: ExecutionState;
  /** The caller made the state for this decision alone, so the decision may change it in place. */
  readonly ownsState?: boolean;
  readonly newWorkItemId: () => WorkItemId;
  readonly tenantPolicy: Policy;
  readonly budgets: readonly HeldBudget[];
  /** Stops when only tokens are left that start their nodes; the caller then calls again. */
  readonly leavesArrivals?: boolean;
}): Decision {
  const turn: Turn = {
    plan: params.plan,
    meter: { stepsSpent: 0 },
    draft: params.ownsState === true ? ownedDraft(params.state) : draftOf(params.state),
    events: [],
    effects: [],
    newWorkItemId: params.newWorkItemId,
    tenantPolicy: params.tenantPolicy,
    budgets: params.budgets,
    budget: ENTRIES_MAX,
  };
  const { startWait } = params.state;
  if (!isTerminal(turn.draft.status) && !isDelayed(turn.draft)) startWorkflowTimer(turn);
  let more = false;
  while (!isAtRest(turn.draft)) {
    if (failUnbegun(turn) || endOnFailure(turn) || continueAsNew(turn)) continue;
    // Events before timers: one that was accepted is never lost to a timer that fired meanwhile.
    const answered =
      matchExternalEvents(turn) || answerFunctions(turn) || answerSignals(turn) || feedMaps(turn);
    if (!answered && params.leavesArrivals === true && turn.draft.arrivals.length > 0) {
      more = true;
      break;
    }
    const progressed =
      answered ||
      startArrivals(turn) ||
      (!waitsForChildren(turn) && (startUndo(turn) || startFinalizers(turn)));
    if (progressed) {
      if (turn.budget > 0) continue;
      more = true;
      break;
    }
    if (turn.draft.ending === null) skipUnreachable(turn);
    if (waitsForChildren(turn) || !endExecution(turn)) break;
  }
  if (startWait !== null) startsInTime(turn, startWait);
  if (!isTerminal(turn.draft.status)) {
    turn.draft.status = more ? 'running' : deriveStatus(turn.draft);
  }
  return { events: turn.events, effects: turn.effects, next: turn.draft, more };
}

/** Undos, finalizers and the end come after the ends of children. */
function waitsForChildren({ plan, draft }: Turn): boolean {
  return undosAwaitChildren(plan, draft);
}

/** The execution has ended, or nothing follows for now. */
function isAtRest(state: ExecutionState): boolean {
  return isTerminal(state.status) || isPausedByOperator(state) || isDelayed(state);
}

/**
 * False: no decision on this state enters work that a budget could block, so the spent amounts are
 * not needed. This is so when one of many branches merely ends.
 */
export function mayEnterWork(state: ExecutionState): boolean {
  if (state.ending !== null || isPausedByOperator(state)) return false;
  if (state.arrivals.length > 0 || state.mailbox.length > 0) return true;
  return state.live
    .values()
    .some(({ signal, map, phase }) => signal !== null || map !== null || phase === 'suspended');
}
