import type { WorkItemId } from '../ids.ts';
import type { HeldBudget } from '../budget/budget.ts';
import type { Policy } from '../policy/policy.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import { answerSignals } from './decisions/answer-signals.ts';
import { continueAsNew } from './decisions/continue-as-new.ts';
import { endExecution, endOnFailure } from './decisions/end-execution.ts';
import { feedMaps } from './decisions/feed-maps.ts';
import { matchExternalEvents } from './decisions/match-external-events.ts';
import { skipUnreachable } from './decisions/skip-unreachable.ts';
import { startArrivals } from './decisions/start-arrivals.ts';
import { startFinalizers } from './decisions/start-finalizers.ts';
import { startWorkflowTimer } from './decisions/start-workflow-timer.ts';
import { deriveStatus } from './derive-status.ts';
import { draftOf, ownedDraft } from './draft.ts';
import type { Effect } from './effect.ts';
import type { ExecutionEvent } from './event.ts';
import { type ExecutionState, isPausedByOperator } from './state.ts';
import { isTerminal } from './status.ts';
import type { Turn } from './turn.ts';

/** How many nodes one decision may enter, so that a loop of pure nodes still commits as it goes. */
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
 * What follows from what has happened: the consequences of every fact recorded up to
 * `state.sequence`, all at once. Pure: the same plan and state give the same decision (work item
 * ids apart, which are drawn from `newWorkItemId`), so a decision whose commit was refused because
 * the execution moved meanwhile is simply made again on the newer state. While an execution is
 * paused nothing follows, but that its time limit is set going: it runs on.
 */
export function decide(params: {
  readonly plan: Plan;
  readonly state: ExecutionState;
  /** The state was made for this decision alone, which may change it into the next. */
  readonly ownsState?: boolean;
  readonly newWorkItemId: () => WorkItemId;
  readonly tenantPolicy: Policy;
  readonly budgets: readonly HeldBudget[];
  /** Stops, to be called again, where a token is left to start its node. */
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
  if (!isTerminal(turn.draft.status)) startWorkflowTimer(turn);
  let more = false;
  while (!isAtRest(turn.draft)) {
    if (endOnFailure(turn) || continueAsNew(turn)) continue;
    // Events before timers: one that was accepted is never lost to a timer that fired meanwhile.
    const answered = matchExternalEvents(turn) || answerSignals(turn) || feedMaps(turn);
    if (!answered && params.leavesArrivals === true && turn.draft.arrivals.length > 0) {
      more = true;
      break;
    }
    const progressed = answered || startArrivals(turn) || startFinalizers(turn);
    if (progressed) {
      if (turn.budget > 0) continue;
      more = true;
      break;
    }
    if (turn.draft.ending === null) skipUnreachable(turn);
    if (!endExecution(turn)) break;
  }
  if (!isTerminal(turn.draft.status)) {
    turn.draft.status = more ? 'running' : deriveStatus(turn.draft);
  }
  return { events: turn.events, effects: turn.effects, next: turn.draft, more };
}

/** It has ended, or nothing is to follow for now. */
function isAtRest(state: ExecutionState): boolean {
  return isTerminal(state.status) || isPausedByOperator(state);
}

/**
 * False: no decision on this state enters work that a budget could stand against, so what is spent
 * of the budgets need not be known. What only ends, as one branch of many, is decided without it.
 */
export function mayEnterWork(state: ExecutionState): boolean {
  if (state.ending !== null || isPausedByOperator(state)) return false;
  if (state.arrivals.length > 0 || state.mailbox.length > 0) return true;
  return state.live.values().some(({ signal, map }) => signal !== null || map !== null);
}
