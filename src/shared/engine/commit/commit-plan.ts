import { encodeState } from '../../domain/execution/state-codec.ts';
import type { Decision } from '../../domain/execution/decide.ts';
import type { Effect } from '../../domain/execution/effect.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import { type ExecutionStatus, isTerminal } from '../../domain/execution/status.ts';
import type { TimerPurpose } from '../../domain/execution/event-payloads.ts';
import { visitKey } from '../../domain/execution/state.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { calledName } from '../../domain/work/called-name.ts';
import type { WorkTicket, WorkerQueue } from '../../domain/work/work-item.ts';
import {
  type BornLease,
  type CommitPlan,
  type ModelUse,
  type NewEvent,
  type NewWorkItem,
  type StartedExecution,
  emptyCommit,
} from '../../store/commit.ts';
import { childEnded, isForeign, parentEnded, successorOf, treeUseOf } from '../advance/family.ts';
import { newEvent, SCHEDULER_ACTOR } from './new-event.ts';
import type { RunningItem } from '../advance/run-items.ts';

export { newEvent, SCHEDULER_ACTOR };

/** The items that the deciding process is willing to run itself. */
export interface DecisionHome {
  /** Null: items of in-engine nodes go to the queue. */
  readonly leaseTo: { readonly processId: string; readonly leaseMs: number } | null;
  readonly priority: number;
}

/** The events of a decision as they are stored, after the facts it was made on. */
export function eventsOfDecision(
  facts: readonly NewEvent[],
  decision: Decision,
): readonly NewEvent[] {
  return [...facts, ...decision.events.map((event) => newEvent(event, SCHEDULER_ACTOR))];
}

/** The commit of a decision; `base` is the state the log is at. */
export function commitOfDecision(params: {
  readonly plan: Plan;
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
}): CommitPlan {
  const { plan, base, decision, home, settles = [], charge } = params;
  const { next } = decision;
  // A run that another continues has nothing live, so only its timer must be removed.
  const ended = isTerminal(next.status) && next.continuedAs === null;
  const startsExecutions: StartedExecution[] = [];
  const items: NewWorkItem[] = [];
  const born: BornLease[] = [];
  const out = {
    retries: [] as CommitPlan['retries'][number][],
    revokesItems: [] as CommitPlan['revokesItems'][number][],
    startsTimers: [] as CommitPlan['startsTimers'][number][],
    cancelsTimers: [] as string[],
  };
  const context: TicketContext = { plan, state: next, priority: home.priority };
  const effects = lastingEffects(decision.effects);
  const revoked = new Set(
    effects.flatMap((effect) => (effect.do === 'revoke_work' ? [effect.workItemId] : [])),
  );
  for (const effect of effects) {
    switch (effect.do) {
      case 'create_work': {
        // Scheduled and taken back within one decision: it was never there.
        if (revoked.delete(effect.workItemId)) break;
        const ticket = ticketOf(context, effect, effect.attempt);
        if (effect.queue === 'engine' && home.leaseTo !== null) {
          const { processId, leaseMs } = home.leaseTo;
          born.push({ ticket, leaseTo: processId, leaseMs });
        } else items.push({ ticket, record: recordOf(context, effect, ticket) });
        break;
      }
      case 'retry_work':
        if (revoked.has(effect.workItemId)) break;
        out.retries.push({
          ticket: retryTicket(context, effect),
          delayMs: effect.delayMs,
          released: null,
        });
        break;
      case 'requeue_work':
        out.retries.push({
          ticket: retryTicket(context, effect),
          delayMs: 0,
          released: null,
        });
        break;
      case 'revoke_work':
        break;
      case 'start_timer':
        out.startsTimers.push({
          executionId: null,
          name: effect.name,
          when: effect.when,
          ...effect.about,
        });
        break;
      case 'end_child':
        out.startsTimers.push(parentEnded(effect.childId));
        break;
      case 'start_successor':
        startsExecutions.push(successorOf(next, effect, home.priority));
        break;
      case 'cancel_timer': {
        const started = out.startsTimers.findIndex((timer) => timer.name === effect.name);
        if (started >= 0) out.startsTimers.splice(started, 1);
        else out.cancelsTimers.push(effect.name);
        break;
      }
    }
  }
  out.revokesItems.push(...revoked);
  const leftovers =
    next.status === 'failed' ||
    plan.workflowTimeoutMs !== null ||
    out.revokesItems.length > 0 ||
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
    newItems: ended ? [] : items,
    bornLeased: ended ? [] : born,
    retries: ended ? [] : out.retries,
    revokesItems: ended ? [] : out.revokesItems,
    revokesAll: ended && leftovers,
    startsExecutions: [...startsExecutions, ...(params.startsExecutions ?? [])],
    tree: treeUseOf({
      base,
      children: params.startsExecutions?.length ?? 0,
      goesOn: startsExecutions.length > 0,
      startsTimers: out.startsTimers,
      descendantsMax: params.descendantsMax,
    }),
    charge: charge ?? null,
    startsTimers: ended
      ? [...out.startsTimers.filter(isForeign), ...childEnded(next)]
      : out.startsTimers,
    cancelsTimers: ended ? [] : [...out.cancelsTimers, ...timersOfRun(plan, next)],
    snapshot: params.takeSnapshot ? encodeState(next) : null,
    runnable: decision.more ? 'mark' : 'clear',
  };
}

/**
 * Without what the same decision takes back: a function may be put on its queue, be cancelled, and be put
 * there again for its compensations. One that is made here is then made, and nothing more.
 */
function lastingEffects(effects: Decision['effects']): Decision['effects'] {
  if (!effects.some((effect) => effect.do === 'requeue_work')) return effects;
  const revokedAt = new Map<string, number>();
  effects.forEach((effect, index) => {
    if (effect.do === 'revoke_work') revokedAt.set(effect.workItemId, index);
  });
  if (revokedAt.size === 0) return effects;
  const lasting = effects.filter(
    (effect, index) =>
      effect.do !== 'requeue_work' || index > (revokedAt.get(effect.workItemId) ?? -1),
  );
  const made = new Set(
    lasting.flatMap((effect) => (effect.do === 'create_work' ? [effect.workItemId] : [])),
  );
  const stays = new Set(
    lasting.flatMap((effect) =>
      effect.do === 'requeue_work' && made.has(effect.workItemId) ? [effect.workItemId] : [],
    ),
  );
  return lasting.filter(
    (effect) =>
      (effect.do !== 'requeue_work' && effect.do !== 'revoke_work') ||
      !stays.has(effect.workItemId),
  );
}

function timersOfRun(plan: Plan, next: ExecutionState): readonly TimerPurpose[] {
  return next.continuedAs === null || plan.workflowTimeoutMs === null ? [] : ['workflow_timeout'];
}

interface TicketContext {
  readonly plan: Plan;
  readonly state: ExecutionState;
  readonly priority: number;
}

type CreateWork = Extract<Effect, { do: 'create_work' }>;
type RetryWork = Extract<Effect, { do: 'retry_work' | 'requeue_work' }>;

function ticketOf(context: TicketContext, effect: CreateWork, attempt: number): WorkTicket {
  const { plan, state, priority } = context;
  const node = plan.nodes.get(effect.nodeId);
  const queueName = node?.kind.queueName?.(node.spec) ?? null;
  return {
    workItemId: effect.workItemId,
    executionId: state.executionId,
    tenantId: state.tenantId,
    nodeId: effect.nodeId,
    visit: effect.visit,
    attempt,
    queue: effect.queue,
    ...(queueName !== null && { queueName }),
    priority,
    idempotencyKey: effect.idempotencyKey,
    nodeTimeoutMs: node?.nodeTimeoutMs ?? null,
    scheduleToStartMs: node?.scheduleToStartMs ?? null,
  };
}

function retryTicket(context: TicketContext, effect: RetryWork): WorkTicket {
  const visit = context.state.live.get(visitKey(effect.nodeId, effect.visit));
  const queue = visit?.queue ?? null;
  const idempotencyKey = visit?.idempotencyKey ?? null;
  if (queue === null || idempotencyKey === null) {
    throw new Error(`a retry of ${effect.nodeId} without work in ${context.state.executionId}`);
  }
  return ticketOf(
    context,
    {
      ...effect,
      do: 'create_work',
      queue: queue as WorkTicket['queue'],
      idempotencyKey,
      input: null,
      payload: {},
    },
    effect.attempt,
  );
}

function recordOf(
  context: TicketContext,
  effect: CreateWork,
  ticket: WorkTicket,
): NewWorkItem['record'] {
  if (effect.queue === 'engine') return null;
  const node = context.plan.nodes.get(effect.nodeId);
  if (node === undefined) throw new Error(`the plan has no node ${effect.nodeId}`);
  const { workItemId, executionId, tenantId, nodeId, visit, idempotencyKey } = ticket;
  const payload: JsonObject = { ...effect.payload, input: effect.input };
  return {
    workItemId,
    executionId,
    tenantId,
    nodeId,
    visit,
    queue: effect.queue satisfies WorkerQueue,
    ...(ticket.queueName !== undefined && { queueName: ticket.queueName }),
    idempotencyKey,
    // Workers claim by the tool's real name, not by its name in the workflow.
    tool: calledName(payload) ?? node.kind.tool?.(node.spec) ?? node.kind.type,
    payload,
    retryPolicy: node.retryPolicy,
    heartbeatIntervalMs: node.heartbeatIntervalMs,
  };
}
