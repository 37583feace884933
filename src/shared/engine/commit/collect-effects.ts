import type { Decision } from '../../domain/execution/decide.ts';
import type { Effect } from '../../domain/execution/effect.ts';
import { reenter } from '../../domain/execution/reenter.ts';
import { type ExecutionState, visitKey } from '../../domain/execution/state.ts';
import type { WorkItemId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { shareOf } from '../../domain/workflow/flow/fairness.ts';
import { fairnessOf } from '../../domain/workflow/flow/given-rules.ts';
import { ruledInput } from '../../domain/workflow/flow/ruled-input.ts';
import { buildQueueName } from '../../domain/work/build-queue.ts';
import { type FairShare, fairQueueName } from '../../domain/work/fair-queue.ts';
import { calledName } from '../../domain/work/called-name.ts';
import type { WorkTicket, WorkerQueue } from '../../domain/work/work-item.ts';
import type { BornLease, CommitPlan, NewWorkItem, StartedExecution } from '../../store/commit.ts';
import { parentEnded, successorOf } from '../advance/family.ts';

/** The items that the deciding process is willing to run itself. */
export interface DecisionHome {
  /** Null: items of in-engine nodes go to the queue. */
  readonly leaseTo: { readonly processId: string; readonly leaseMs: number } | null;
  readonly priority: number;
}

/** The writes that the effects of a decision cause, besides its events. */
export interface Collected {
  readonly items: NewWorkItem[];
  readonly born: BornLease[];
  readonly retries: CommitPlan['retries'][number][];
  readonly startsTimers: CommitPlan['startsTimers'][number][];
  readonly cancelsTimers: string[];
  readonly holdsTimers: string[];
  readonly releasesTimers: string[];
  readonly successors: StartedExecution[];
  /** Ids of items that are taken back. */
  readonly revoked: Set<WorkItemId>;
}

interface Given {
  readonly plan: Plan;
  readonly state: ExecutionState;
  readonly home: DecisionHome;
}

interface Context extends Given {
  readonly share: () => FairShare | null;
}

export function collectEffects(decided: Decision['effects'], given: Given): Collected {
  const effects = lastingEffects(decided);
  const context = { ...given, share: shareOnce(given) };
  const out: Collected = {
    items: [],
    born: [],
    retries: [],
    startsTimers: [],
    cancelsTimers: [],
    holdsTimers: [],
    releasesTimers: [],
    successors: [],
    revoked: new Set(
      effects.flatMap((effect) => (effect.do === 'revoke_work' ? [effect.workItemId] : [])),
    ),
  };
  for (const effect of effects) collect(out, effect, context);
  return out;
}

function collect(out: Collected, effect: Effect, context: Context): void {
  switch (effect.do) {
    case 'create_work':
      // Scheduled and taken back within one decision: it never existed.
      if (!out.revoked.delete(effect.workItemId)) createWork(out, effect, context);
      return;
    case 'retry_work':
      if (out.revoked.has(effect.workItemId)) return;
      out.retries.push({
        ticket: retryTicket(context, effect),
        delayMs: effect.delayMs,
        released: null,
      });
      return;
    case 'requeue_work':
      out.retries.push({ ticket: retryTicket(context, effect), delayMs: 0, released: null });
      return;
    case 'revoke_work':
      return;
    case 'start_timer': {
      const { name, when, about } = effect;
      out.startsTimers.push({ executionId: null, name, when, ...about });
      return;
    }
    case 'end_child':
      out.startsTimers.push(parentEnded(effect.childId, effect.awaitedBy ?? null));
      return;
    case 'start_successor':
      out.successors.push(successorOf(context.state, effect, context.home.priority));
      return;
    case 'cancel_timer':
      cancelTimer(out, effect.name);
      return;
    case 'hold_timer':
      out.holdsTimers.push(effect.name);
      return;
    case 'release_timer':
      out.releasesTimers.push(effect.name);
      return;
  }
}

function createWork(out: Collected, effect: CreateWork, context: Context): void {
  const queue = queueOfItem(context, effect);
  const ticket = { ...ticketOf(context, effect, effect.attempt), ...queue };
  const { leaseTo } = context.home;
  if (effect.queue === 'engine' && leaseTo !== null && queue.queueName === undefined) {
    out.born.push({ ticket, leaseTo: leaseTo.processId, leaseMs: leaseTo.leaseMs });
  } else out.items.push({ ticket, record: recordOf(context, effect, { ticket, queue }) });
}

/** One that the same decision starts is not started, and one that it holds or releases ends. */
function cancelTimer(out: Collected, name: string): void {
  const { startsTimers, cancelsTimers } = out;
  for (const moved of [out.holdsTimers, out.releasesTimers]) {
    const index = moved.indexOf(name);
    if (index >= 0) moved.splice(index, 1);
  }
  const started = startsTimers.findIndex((timer) => timer.name === name);
  if (started >= 0) startsTimers.splice(started, 1);
  else cancelsTimers.push(name);
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

/** The queue of the node, or of the build that the visit is pinned to; null: the default queue. */
function queueNameOf(context: Context, effect: CreateWork): string | null {
  const { plan, state } = context;
  const { nodeId, visit } = effect;
  const node = plan.nodes.get(nodeId);
  if (hasQuota(context, effect)) return null;
  const own = node?.kind.queueName?.(node.spec) ?? null;
  const buildId = state.live.get(visitKey(nodeId, visit))?.run?.buildId ?? null;
  return withShare(context, effect, buildId === null ? own : buildQueueName(own, buildId));
}

function withShare(
  { share }: Context,
  { queue }: CreateWork,
  queueName: string | null,
): string | null {
  const own = queue === 'engine' ? null : share();
  return own === null ? queueName : fairQueueName(queueName, own);
}

/**
 * Evaluates the rule for the first item of the commit. A start without a valid share is refused; other
 * executions of the kind go by age.
 */
function shareOnce({ plan, state }: Given): () => FairShare | null {
  if (plan.fairness === null && state.startRules === null) return () => null;
  let share: FairShare | null | undefined;
  return () => {
    if (share === undefined) share = findShare(plan, state);
    return share;
  };
}

function findShare(plan: Plan, state: ExecutionState): FairShare | null {
  const fairness = fairnessOf(plan, state.startRules);
  if (fairness === null) return null;
  const found = shareOf(fairness.rule, ruledInput(state));
  return found.ok ? found.share : null;
}

/** Where an item waits, below its quota if it has one; empty: on no named queue. */
function queueOfItem(context: Context, effect: CreateWork): NamedQueue {
  const node = context.plan.nodes.get(effect.nodeId);
  const own = node?.kind.queueOfCall?.(node.spec, effect.input);
  const name = own?.ok === true ? withShare(context, effect, own.name) : null;
  return name === null ? {} : { queueName: name };
}

function hasQuota(
  { plan }: Pick<Context, 'plan'>,
  { nodeId }: Pick<CreateWork, 'nodeId'>,
): boolean {
  const node = plan.nodes.get(nodeId);
  return node?.kind.hasQuota?.(node.spec) ?? false;
}

interface NamedQueue {
  readonly queueName?: string;
}

type CreateWork = Extract<Effect, { do: 'create_work' }>;
type RetryWork = Extract<Effect, { do: 'retry_work' | 'requeue_work' }>;

function ticketOf(context: Context, effect: CreateWork, attempt: number): WorkTicket {
  const { plan, state, home } = context;
  const node = plan.nodes.get(effect.nodeId);
  const queueName = queueNameOf(context, effect);
  return {
    workItemId: effect.workItemId,
    executionId: state.executionId,
    tenantId: state.tenantId,
    nodeId: effect.nodeId,
    visit: effect.visit,
    attempt,
    queue: effect.queue,
    ...(queueName !== null && { queueName }),
    priority: home.priority,
    idempotencyKey: effect.idempotencyKey,
    nodeTimeoutMs: node?.nodeTimeoutMs ?? null,
    scheduleToStartMs: node?.scheduleToStartMs ?? null,
  };
}

function retryTicket(context: Context, effect: RetryWork): WorkTicket {
  const visit = context.state.live.get(visitKey(effect.nodeId, effect.visit));
  const queue = visit?.queue ?? null;
  const idempotencyKey = visit?.idempotencyKey ?? null;
  if (queue === null || idempotencyKey === null) {
    throw new Error(`a retry of ${effect.nodeId} without work in ${context.state.executionId}`);
  }
  const create: CreateWork = {
    ...effect,
    do: 'create_work',
    queue: queue as WorkTicket['queue'],
    idempotencyKey,
    input: null,
    payload: {},
  };
  const below = quotaOfRetry(context, create, visit?.run?.buildId ?? null);
  return { ...ticketOf(context, create, effect.attempt), ...below };
}

/** It waits for a place again. Its input, which may decide on the key, is computed again. */
function quotaOfRetry(context: Context, effect: CreateWork, buildId: string | null): NamedQueue {
  if (!hasQuota(context, effect)) return {};
  const entry = reenter({ ...context, ...effect })?.entry;
  if (entry?.do !== 'work') return {};
  const { queueName } = queueOfItem(context, { ...effect, input: entry.input });
  if (queueName === undefined) return {};
  return { queueName: buildId === null ? queueName : buildQueueName(queueName, buildId) };
}

function recordOf(
  context: Context,
  effect: CreateWork,
  { ticket, queue }: { readonly ticket: WorkTicket; readonly queue: NamedQueue },
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
    // That of its node: the item may outlive the pin.
    ...queue,
    idempotencyKey,
    // Workers claim by the tool's real name, not by its name in the workflow.
    tool: calledName(payload) ?? node.kind.tool?.(node.spec) ?? node.kind.type,
    payload,
    retryPolicy: node.retryPolicy,
    heartbeatIntervalMs: node.heartbeatIntervalMs,
  };
}
