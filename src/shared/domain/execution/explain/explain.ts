import type { ExecutionId } from '../../ids.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { RecordedEvent } from '../event.ts';
import type { StandingPause } from '../../workflow/workflow-pause.ts';
import { type ExecutionState, isDelayed, isPausedByOperator } from '../state.ts';
import { isTerminal } from '../status.ts';
import {
  type Blocker,
  BLOCKERS_MAX,
  type EndReason,
  type Explanation,
  orderBlockers,
} from './blocker.ts';
import { explainEndingChildren } from './explain-child.ts';
import { explainEnd } from './explain-end.ts';
import { explainFlowWait, numberInLine, untilText } from './explain-flow-wait.ts';
import { explainJoins, isUndecided } from './explain-joins.ts';
import { explainVisit } from './explain-visit.ts';
import type { ChildFacts, ExecutionFacts, FlowFacts, PlaceFacts } from './facts.ts';
import { explainPauses, waitsForRelease } from './explain-pauses.ts';
import {
  DEADLINE_TIMER,
  PARENT_TIMER,
  START_TIMER,
  visitsLookedAt,
  WORKFLOW_TIMER,
} from './questions.ts';
import { blockerOf, isAboutToBeDone, isPast, knownHistory, type Scene, tellAge } from './scene.ts';

/**
 * Explains why an execution is where it is, from its state and the facts around it. Every execution
 * that has not ended has at least one blocker, or is moving. `events`: recent ones, for times and
 * errors; the explanation omits what they do not contain. Pure.
 */
export function explain(params: {
  readonly plan: Plan;
  readonly state: ExecutionState;
  /** As of the same sequence as the state. */
  readonly facts: ExecutionFacts;
  /** The database's clock. */
  readonly now: string;
  readonly events: readonly RecordedEvent[];
  readonly children: ReadonlyMap<ExecutionId, ChildFacts>;
  /** The pause of its workflow; null: none. */
  readonly workflowPause: StandingPause | null;
  /** Not null: it waits for a place below its tenant's limit. */
  readonly placeWait: PlaceFacts | null;
  /** Not null: it waits for a place of its key. */
  readonly flowWait: FlowFacts | null;
  /** In force for the execution; null: none, or it waits for no place of its key. */
  readonly rate: Plan['rate'];
}): Explanation {
  const { plan, state, facts, now, events, children, workflowPause } = params;
  const { placeWait, flowWait, rate } = params;
  if (isTerminal(facts.status)) return ended(facts.status, explainEnd(state, events));
  const history = knownHistory(events);
  const nowMs = Date.parse(now);
  const scene: Scene = { state, facts, nowMs, history, workflowPause, placeWait, flowWait, rate };
  const looked = visitsLookedAt(state);
  const visits = looked.flatMap((visit) => explainVisit(scene, visit, children) ?? []);
  const own = [
    ...visits,
    ...explainEndingChildren(scene, plan, children),
    ...explainJoins(scene, plan),
    ...explainTimers(scene),
  ];
  const blockers = orderBlockers([...own, ...explainWhole(scene, plan, own)]);
  return {
    status: facts.status,
    moving: blockers.some(({ moving }) => moving),
    nextWakeUp:
      facts.tenantStatus === 'active' && !isPausedByOperator(state)
        ? earliest(own, facts.timers)
        : null,
    ending: state.ending?.outcome ?? null,
    failure: state.ending?.failure ?? null,
    blockers: blockers.slice(0, BLOCKERS_MAX),
    blockersTotal: blockers.length + state.live.size - looked.length,
    ended: null,
  };
}

function ended(status: Explanation['status'], reason: EndReason): Explanation {
  return {
    status,
    moving: false,
    nextWakeUp: null,
    ending: null,
    failure: null,
    blockers: [],
    blockersTotal: 0,
    ended: reason,
  };
}

const WHOLE = { nodeId: null, visit: null };

/** Timers of the whole execution block nothing, but a due one must be answered. */
function explainTimers(scene: Scene): readonly Blocker[] {
  return [
    { name: WORKFLOW_TIMER, message: 'its time limit has passed' },
    { name: DEADLINE_TIMER, message: 'its start deadline has passed' },
    { name: PARENT_TIMER, message: 'its parent has ended, so it will be cancelled' },
  ].flatMap(({ name, message }) => {
    const until = scene.facts.timers.get(name) ?? null;
    if (until === null || !isPast(scene, until)) return [];
    return blockerOf(WHOLE, {
      code: 'timer_until',
      message,
      until,
      overdue: true,
      moving: isAboutToBeDone(scene, until),
      unblockedBy: 'a scheduler, which fires the timer',
    });
  });
}

/** Blockers of the execution as a whole, apart from `own`. */
function explainWhole(scene: Scene, plan: Plan, own: readonly Blocker[]): readonly Blocker[] {
  const { state, facts } = scene;
  const whole: Blocker[] = [];
  if (facts.tenantStatus !== 'active') {
    whole.push(
      blockerOf(WHOLE, {
        code: 'tenant_suspended',
        message: `tenant ${state.tenantId} is ${facts.tenantStatus}: its work is not handed out, its timers do not fire, and nothing is decided`,
        unblockedBy: 'PUT /tenants/{id} with status active',
      }),
    );
  }
  whole.push(...explainPauses(scene));
  if (isDelayed(state)) return [...whole, explainDelay(scene)];
  const wait = explainWait(scene);
  if (wait !== null) return [...whole, ...explainNoScheduler(scene), wait];
  const isPaused = isPausedByOperator(state);
  const needed =
    facts.isMarked ||
    waitsForRelease(scene) ||
    own.some(({ code, overdue, details }) => overdue || waitsForEngine(code, details));
  if (needed) whole.push(...explainNoScheduler(scene));
  if (facts.isMarked) whole.push(explainMark(scene));
  else if (!isPaused && (own.length === 0 || isUndecided(scene, plan))) {
    whole.push(
      blockerOf(WHOLE, {
        code: 'not_marked',
        message: 'it has a decision to make, but no scheduler is notified',
        since: facts.updatedAt,
        unblockedBy:
          'a cancel, or anything else that is recorded for it, such as an external event',
      }),
    );
  }
  return whole;
}

/** Says that no scheduler runs; empty if one does. */
function explainNoScheduler(scene: Scene): readonly Blocker[] {
  const { seen, lastSeenAt } = scene.facts.schedulers;
  if (seen > 0) return [];
  const last = lastSeenAt === null ? '' : `; the last was seen ${tellAge(scene, lastSeenAt)} ago`;
  return [
    blockerOf(WHOLE, {
      code: 'no_scheduler',
      message: `it waits for a scheduler, and none is running${last}`,
      since: lastSeenAt,
      unblockedBy: 'a process with the scheduler role: svc serve, or svc-scheduler',
    }),
  ];
}

/** Null: it waits for no place and no token, and gathers in no batch. */
function explainWait(scene: Scene): Blocker | null {
  const { placeWait, flowWait, rate, facts } = scene;
  const due = facts.timers.get(DEADLINE_TIMER) ?? null;
  const deadline = isPast(scene, due) ? null : due;
  if (placeWait !== null) return explainPlace(placeWait, deadline);
  return flowWait && explainFlowWait(flowWait, { rate, deadline });
}

/** It begins at its time, even if events are recorded before. */
function explainDelay(scene: Scene): Blocker {
  const until = scene.facts.timers.get(START_TIMER) ?? null;
  const overdue = until !== null && isPast(scene, until);
  return blockerOf(WHOLE, {
    code: 'timer_until',
    message: 'waits for the time of its start',
    until,
    overdue,
    moving: overdue && isAboutToBeDone(scene, until),
    unblockedBy: overdue ? 'a scheduler, which fires the timer' : 'the clock',
  });
}

/** It begins when it has its place, even if events are recorded before. */
function explainPlace({ since, ahead, placesMax }: PlaceFacts, deadline: string | null): Blocker {
  const limit = placesMax === null ? '' : `, limit ${placesMax} reached`;
  return blockerOf(WHOLE, {
    code: 'waiting_for_place',
    message: `waits for a place${untilText(deadline)}: ${numberInLine(ahead)} in the queue of the tenant${limit}`,
    since,
    until: deadline,
    unblockedBy:
      'the end of another execution of the tenant, or PUT /tenants/{id} with a higher max_concurrent_executions',
    details: { position: ahead + 1 },
  });
}

function waitsForEngine(code: Blocker['code'], { queue }: Blocker['details']): boolean {
  return code === 'child_end_not_told' || (code === 'waiting_in_queue' && queue === 'engine');
}

function explainMark(scene: Scene): Blocker {
  const { facts } = scene;
  return blockerOf(WHOLE, {
    code: 'runnable_not_decided',
    message: `it has events that are not decided on yet, the last from ${tellAge(scene, facts.updatedAt)} ago`,
    since: facts.updatedAt,
    moving: isAboutToBeDone(scene, facts.updatedAt),
    unblockedBy: 'a scheduler; when one is running and this does not pass, its log says why',
  });
}

function earliest(own: readonly Blocker[], timers: ReadonlyMap<string, string>): string | null {
  const instants = [...own.flatMap(({ until }) => until ?? []), ...timers.values()];
  // All have the same format, so they sort as text.
  return instants.toSorted()[0] ?? null;
}
