import type { WorkItemId } from '../ids.ts';
import type { HeldBudget } from '../budget/budget.ts';
import type { StepMeter } from '../expression/step-budget.ts';
import type { Policy } from '../policy/policy.ts';
import type { Plan, PlanNode } from '../workflow/plan/plan.ts';
import type { Draft } from './draft.ts';
import { type Effect, type TimerAbout, timerName } from './effect.ts';
import type { ExecutionEvent } from './event.ts';
import { applyEvent } from './evolve.ts';
import { type FunctionRun, openEnds, owesRollback } from './function-run.ts';
import type { LiveVisit } from './state.ts';
import { awaitsChildren, markOfChildren, runningChildren } from './undo/ending-children.ts';

/** One decision in progress: its draft, and the events and effects so far. */
export interface Turn {
  readonly plan: Plan;
  readonly draft: Draft;
  /** The step budget of the expressions that this decision evaluates. */
  readonly meter: StepMeter;
  readonly events: ExecutionEvent[];
  readonly effects: Effect[];
  readonly newWorkItemId: () => WorkItemId;
  /** The tenant's policy now; the decision's events record its verdicts. */
  readonly tenantPolicy: Policy;
  /** The budgets that limit the execution, as of before this decision. */
  readonly budgets: readonly HeldBudget[];
  /** Nodes that this decision may still enter; expensive ones count as several. */
  budget: number;
}

/** A decision blocks the event loop, so the steps of expressions count against its budget. */
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

/** The live visits that match. It is called often, so it copies nothing when none match. */
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

/** The timer that a parked visit may have. */
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

/** Takes back what a function waits for, as it waits for nothing any more. */
export function closeFunction(
  turn: Turn,
  of: {
    readonly nodeId: string;
    readonly visit: number;
    readonly run: FunctionRun;
  },
): void {
  for (const name of openEnds(of).timers) turn.effects.push({ do: 'cancel_timer', name });
  endChildren(turn, { ...of, phase: 'suspended', childId: null, signal: null });
}

/** Cancels the children of a visit that ends. */
export function endChildren(turn: Turn, visit: Parameters<typeof runningChildren>[0]): void {
  const isAwaited = awaitsChildren(turn.draft.undo, visit);
  for (const { childId, nodeId, visit: number } of runningChildren(visit)) {
    const awaitedBy = { nodeId, visit: number };
    turn.effects.push({ do: 'end_child', childId, ...(isAwaited && { awaitedBy }) });
  }
}

/** Ends a live visit that nobody needs any more, and takes back what it had out. */
export function cancelVisit(turn: Turn, visit: LiveVisit, reason: string): void {
  if (visit.workItemId !== null) {
    turn.effects.push({ do: 'revoke_work', workItemId: visit.workItemId });
  }
  if (visit.phase === 'approval' || visit.phase === 'timer' || visit.phase === 'either') {
    cancelVisitTimer(turn, visit);
  }
  const { run } = visit;
  // The timers of a function that is rolled back end when its compensations begin.
  if (run !== null && !owesRollback(run)) closeFunction(turn, { ...visit, run });
  else endChildren(turn, visit);
  emit(turn, {
    kind: 'NodeCancelled',
    nodeId: visit.nodeId,
    payload: { visit: visit.visit, reason, ...markOfChildren(turn.draft, visit) },
  });
}
