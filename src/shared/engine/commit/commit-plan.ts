import { encodeState } from '../../domain/execution/state-codec.ts';
import type { Decision } from '../../domain/execution/decide.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import type { TimerPurpose } from '../../domain/execution/event-payloads.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import {
  type CommitPlan,
  type KeptFailure,
  type ModelUse,
  type NewEvent,
  type StartedExecution,
  emptyCommit,
} from '../../store/commit.ts';
import { childEnded, isForeign, treeUseOf } from '../advance/family.ts';
import { collectEffects, type DecisionHome } from './collect-effects.ts';
import { newEvent, SCHEDULER_ACTOR } from './new-event.ts';
import { causeOf } from '../overview/cause-of.ts';
import type { RunningItem } from '../advance/run-items.ts';

export { newEvent, SCHEDULER_ACTOR };

/** The events of a decision as they are stored, after the facts it was made on. */
export function eventsOfDecision(
  facts: readonly NewEvent[],
  decision: Decision,
): readonly NewEvent[] {
  return [...facts, ...decision.events.map((event) => newEvent(event, SCHEDULER_ACTOR))];
}

interface DecisionToCommit {
  readonly plan: Plan;
  /** The state the log is at. */
  readonly base: ExecutionState;
  /** Status of the execution's row, if known; the fold of its events doesn't tell it. */
  readonly rowStatus: ExecutionStatus | null;
  /** See `eventsOfDecision`: facts that are not in the log yet are among them. */
  readonly events: readonly NewEvent[];
  readonly decision: Decision;
  readonly home: DecisionHome;
  readonly takeSnapshot: boolean;
  /** Leased items whose outcomes are among the facts. */
  readonly settles?: readonly Pick<RunningItem, 'ticket' | 'leaseFence'>[];
  /** Begin beside those that the decision itself starts. */
  readonly startsExecutions?: readonly StartedExecution[];
  /** How many descendants the root of its tree may have. */
  readonly descendantsMax: number;
  readonly charge?: ModelUse | undefined;
}

export function commitOfDecision(params: DecisionToCommit): CommitPlan {
  const { plan, base, decision, home, settles = [], charge } = params;
  const { next } = decision;
  // A run that another continues has nothing live, so only its timer must be removed.
  const ended = isTerminal(next.status) && next.continuedAs === null;
  const out = collectEffects(decision.effects, { plan, state: next, home });
  const { startsTimers } = out;
  const revokesItems = [...out.revoked];
  const leftovers =
    next.status === 'failed' ||
    plan.workflowTimeoutMs !== null ||
    revokesItems.length > 0 ||
    out.cancelsTimers.length > 0;
  return {
    ...emptyCommit(base),
    expectedSequence: base.sequence,
    settles: settles.map(({ ticket: { workItemId }, leaseFence }) => ({
      workItemId,
      leaseFence,
      onlyIfExpired: false,
    })),
    events: params.events,
    status: next.status === params.rowStatus ? null : next.status,
    error: next.error,
    failure: failureOf(decision),
    newItems: ended ? [] : out.items,
    bornLeased: ended ? [] : out.born,
    retries: ended ? [] : out.retries,
    revokesItems: ended ? [] : revokesItems,
    revokesAll: ended && leftovers,
    startsExecutions: [...out.successors, ...(params.startsExecutions ?? [])],
    tree: treeUseOf({
      base,
      children: params.startsExecutions?.length ?? 0,
      goesOn: out.successors.length > 0,
      startsTimers,
      descendantsMax: params.descendantsMax,
    }),
    charge: charge ?? null,
    startsTimers: ended ? [...startsTimers.filter(isForeign), ...childEnded(next)] : startsTimers,
    cancelsTimers: ended ? [] : [...out.cancelsTimers, ...timersOfRun(plan, next)],
    holdsTimers: ended ? [] : out.holdsTimers,
    releasesTimers: ended ? [] : out.releasesTimers,
    snapshot: params.takeSnapshot ? encodeState(next) : null,
    runnable: decision.more ? 'mark' : 'clear',
    ...(decision.more && base.nextVisit.size === 0 && { usesToken: true }),
  };
}

function failureOf({ events }: Decision): KeptFailure | null {
  const last = events.at(-1);
  if (last?.kind !== 'WorkflowFailed') return null;
  const { error, error_class: errorClass, node_id: nodeId } = last.payload;
  return { nodeId, ...causeOf(error, errorClass) };
}

function timersOfRun(plan: Plan, next: ExecutionState): readonly TimerPurpose[] {
  return next.continuedAs === null || plan.workflowTimeoutMs === null ? [] : ['workflow_timeout'];
}
