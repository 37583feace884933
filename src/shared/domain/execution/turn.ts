import type { WorkItemId } from '../ids.ts';
import type { HeldBudget } from '../budget/budget.ts';
import type { StepMeter } from '../expression/step-budget.ts';
import type { Policy } from '../policy/policy.ts';
import type { Plan, PlanNode } from '../workflow/plan/plan.ts';
import type { Draft } from './draft.ts';
import { type Effect, type TimerAbout, timerName } from './effect.ts';
import type { ExecutionEvent } from './event.ts';
import { applyEvent } from './evolve.ts';
import type { LiveVisit } from './state.ts';

/** One decision in the making: the draft it has reached, and what it has decided so far. */
export interface Turn {
  readonly plan: Plan;
  readonly draft: Draft;
  /** Of the expressions that this decision evaluates. */
  readonly meter: StepMeter;
  readonly events: ExecutionEvent[];
  readonly effects: Effect[];
  readonly newWorkItemId: () => WorkItemId;
  /** What the tenant allows now: what a decision makes of it is on record with it. */
  readonly tenantPolicy: Policy;
  /** The budgets the execution is held to, as they stood before this decision. */
  readonly budgets: readonly HeldBudget[];
  /** Nodes that may still be entered in this decision; those that take much work count for several. */
  budget: number;
}

/** A decision holds the event loop, so what expressions take is part of what it may do. */
const STEPS_PER_ENTRY = 4_000;

/** Enters a node on the decision's budget. */
export function enterOnBudget(turn: Turn, enter: () => void): void {
  const before = turn.meter.stepsSpent;
  enter();
  turn.budget -= 1 + (turn.meter.stepsSpent - before) / STEPS_PER_ENTRY;
}

/** Records an event and folds it at once, so that what is decided next sees it. */
export function emit(turn: Turn, event: ExecutionEvent): void {
  turn.events.push(event);
  applyEvent(turn.draft, { ...event, sequence: turn.draft.sequence + 1 }, turn);
}

/** The visits live now, as a copy: deciding about one of them changes the map. */
export function liveVisits(turn: Turn): readonly LiveVisit[] {
  return turn.draft.live.values().toArray();
}

/** The same of a few among them, asked again and again: nothing is copied where there are none. */
export function liveVisitsThat(
  turn: Turn,
  test: (visit: LiveVisit) => boolean,
): readonly LiveVisit[] {
  let found: LiveVisit[] | null = null;
  for (const visit of turn.draft.live.values()) if (test(visit)) (found ??= []).push(visit);
  return found ?? NONE;
}

const NONE: readonly LiveVisit[] = [];

export function planNode(turn: Turn, nodeId: string): PlanNode {
  const node = turn.plan.nodes.get(nodeId);
  if (node === undefined) throw new Error(`the plan of ${turn.plan.workflowId} has no ${nodeId}`);
  return node;
}

/** The timer a parked visit may have. */
export function visitTimer(visit: LiveVisit): TimerAbout {
  return {
    purpose: visit.phase === 'approval' ? 'approval_timeout' : 'wait',
    nodeId: visit.nodeId,
    visit: visit.visit,
  };
}

export function cancelVisitTimer(turn: Turn, visit: LiveVisit): void {
  turn.effects.push({ do: 'cancel_timer', name: timerName(visitTimer(visit)) });
}

/** Ends a live visit that nobody needs any more, and takes back what it had out. */
export function cancelVisit(turn: Turn, visit: LiveVisit, reason: string): void {
  if (visit.workItemId !== null) {
    turn.effects.push({ do: 'revoke_work', workItemId: visit.workItemId });
  }
  if (visit.phase === 'approval' || visit.phase === 'timer' || visit.phase === 'either') {
    cancelVisitTimer(turn, visit);
  }
  if (visit.phase === 'child' && visit.childId !== null && visit.signal === null) {
    turn.effects.push({ do: 'end_child', childId: visit.childId });
  }
  emit(turn, {
    kind: 'NodeCancelled',
    nodeId: visit.nodeId,
    payload: { visit: visit.visit, reason },
  });
}
