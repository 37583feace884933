import { emptyState } from '../../domain/execution/draft.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { evolve } from '../../domain/execution/evolve.ts';
import type { HeldBudget } from '../../domain/budget/budget.ts';
import { limitExceeded, type SvcError } from '../../domain/errors.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { queuesStarts, type Tenant } from '../../domain/tenant.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import {
  type CommitVerdict,
  emptyCommit,
  leasesHere,
  type ModelUse,
  type NewExecution,
  type RefusalReason,
  type StartLimits,
  type TenantLine,
} from '../../store/commit.ts';
import { bornItems } from '../advance/born-items.ts';
import { decideAnywhere } from '../advance/decide-serialised.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';
import { heldFromStart } from '../advance/held-execution.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import type { Caller } from '../caller.ts';
import { afterCommit } from '../commit/after-commit.ts';
import {
  commitOfDecision,
  eventsOfDecision,
  newEvent,
  SCHEDULER_ACTOR,
} from '../commit/commit-plan.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { checkShare } from '../flow/check-share.ts';
import { flowRulesOf } from '../flow/flow-rules.ts';
import {
  type NeededPlace,
  neededPlaceOf,
  placeInCommit,
  placesTaken,
} from '../flow/needed-place.ts';
import { rulesInForce } from '../flow/rules-in-force.ts';
import { isDeadlineOver, type StartTimer, startTimersOf } from '../flow/start-timers.ts';
import type { StartTimes } from '../../domain/workflow/flow/start-times.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { commitOffering } from '../work/offer-items.ts';
import { pausedByWorkflow } from './pause-execution.ts';

export interface Beginning extends Caller {
  readonly compiled: CompiledDefinition;
  /** The pause of its workflow, which holds the execution before its first step; null: not paused. */
  readonly workflowPause: StandingPause | null;
  readonly executionId: ExecutionId;
  readonly started: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>;
  readonly priority: number;
  readonly request: NewExecution['request'];
  readonly budgets: readonly HeldBudget[];
  /** Usage of models by the execution that this one continues. */
  readonly charge?: ModelUse;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** See `CpuCaller`; absent: refused. */
  readonly whenBusy?: CpuCaller['whenBusy'];
  /** Whether to refuse an input that refers to an unknown artifact. */
  readonly refusesUnknown: boolean;
  /** See `NewExecution`. */
  readonly isDerived?: boolean;
  /** False: it joins no batch. */
  readonly gathers?: boolean;
  /** Its definition is the one that was registered last. */
  readonly isLatest?: boolean;
  /** Absent: it begins as soon as it may. */
  readonly startTimes?: StartTimes;
}

/** Refused if the execution already exists, or if its request was made before. */
export async function beginExecution(deps: UseCaseDeps, params: Beginning): Promise<CommitVerdict> {
  const { tenantId } = params;
  const first = newEvent(params.started, params.actorId);
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: first.payload,
    values: [params.started.payload],
    what: params.refusesUnknown ? 'the input' : null,
  });
  const tenant = await deps.tenants.get(tenantId);
  const { compiled, gathers = true } = params;
  const { input, is_batch: isBatch = false, start_rules: given = null } = params.started.payload;
  checkShare(compiled.plan, { input, isBatch, given });
  const all = flowRulesOf(compiled, given);
  const own = gathers ? all : { ...all, batch: null };
  const rules = params.isLatest === true ? own : await rulesInForce(deps, { tenantId, rules: own });
  const needed = neededPlaceOf(rules, { input, isBatch, tenantId });
  const isDelayed = (params.startTimes?.after ?? null) !== null;
  // A delayed one joins the queue of its key when its time has come, and one whose deadline is over fails.
  const waitsForTimer = isDelayed || (await isDeadlineOver(deps.store, params.startTimes));
  const place = waitsForTimer ? null : needed;
  const waitsFirst = waitsForTimer || (place !== null && place.whenFull !== 'refuse');
  const line = waitsFirst && queuesStarts(tenant) ? 'later' : null;
  const of = { ...params, tenant, first, place, waitsFirst };
  const verdict = await commitStart(deps, { ...of, line });
  // Most starts find a place, so those that find none are sent twice.
  const isFull = !verdict.accepted && verdict.reason === 'executions_limited';
  if (!isFull || !queuesStarts(tenant)) return judgedStart(deps, of, verdict);
  return judgedStart(deps, of, await commitStart(deps, { ...of, line: 'waiting' }));
}

async function commitStart(
  deps: UseCaseDeps,
  params: Omit<Start, 'timers'>,
): Promise<CommitVerdict> {
  const { tenant, compiled, workflowPause, waitsFirst, line } = params;
  const mayWait = waitsFirst || line !== null;
  const timers = startTimersOf(params.startTimes, { mayWait: mayWait || workflowPause !== null });
  const of = { ...params, timers };
  if (mayWait && workflowPause === null) return commitWaiting(deps, of);
  const planned = await planStart(deps, of);
  return commitOffering(deps, {
    plan: planned.commit,
    tenant,
    definitionId: compiled.definition.definitionId,
    onAccepted: (commit, accepted) => {
      goOn(deps, { ...planned, commit, verdict: accepted, tenant, compiled });
    },
  });
}

async function judgedStart(
  deps: UseCaseDeps,
  params: Beginning & Pick<Start, 'tenant' | 'place'>,
  verdict: CommitVerdict,
): Promise<CommitVerdict> {
  const { executionId, tenant, place } = params;
  if (verdict.accepted) return verdict;
  if (verdict.reason === 'workflow_resumed') {
    return beginExecution(deps, { ...params, workflowPause: null });
  }
  const refusal = limitRefusal(verdict.reason, tenant);
  if (refusal !== null) throw refusal;
  if (verdict.reason === 'places_taken' && place !== null) {
    throw placesTaken(params.compiled.plan, place);
  }
  if (verdict.existing !== null || verdict.reason === 'exists') return verdict;
  throw new Error(`starting ${executionId} was refused: ${verdict.reason}`);
}

interface Start extends Beginning {
  readonly tenant: Tenant;
  readonly first: ReturnType<typeof newEvent>;
  readonly place: NeededPlace | null;
  /** It waits for its time or its key, before any place of its tenant. */
  readonly waitsFirst: boolean;
  /** How it stands in the line of its tenant; null: it takes a place with its commit. */
  readonly line: TenantLine['state'] | null;
  readonly timers: readonly StartTimer[];
}

/** Records an execution that a scheduler decides on when it has its place, or its time has come. */
async function commitWaiting(deps: UseCaseDeps, params: Start): Promise<CommitVerdict> {
  const { first, charge = null, executionId, timers } = params;
  const creation = creationOf(params, shardOf(executionId));
  const commit = {
    ...emptyCommit(params),
    events: [first, ...timers.map(({ event }) => newEvent(event, SCHEDULER_ACTOR))],
    startsTimers: timers.map(({ timer }) => timer),
    charge,
    ...creation,
  };
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) {
    const { createdAt } = verdict;
    afterCommit(deps, {
      commit,
      row: { ...creation.create, createdAt },
      committedAt: createdAt,
    });
  }
  return verdict;
}

/** The first decision, and the commit that creates the execution with it. */
async function planStart(deps: UseCaseDeps, params: Start) {
  const { compiled, workflowPause, executionId, tenantId, tenant, first, started, charge } = params;
  const { timers } = params;
  const { definition, plan } = compiled;
  const base = emptyState({ executionId, tenantId });
  const paused = workflowPause === null ? [] : [pausedByWorkflow(workflowPause)];
  const facts = [started, ...timers.map(({ event }) => event), ...paused];
  const held = [
    ...timers.map(({ event }) => newEvent(event, SCHEDULER_ACTOR)),
    ...paused.map((event) => newEvent(event, workflowPause?.by ?? params.actorId)),
  ];
  const state = evolve({
    state: base,
    events: facts.map((event, index) => ({ ...event, sequence: index + 1 })),
    plan,
  });
  const decision = await decideAnywhere({
    cpu: deps.cpu,
    caller: { signal: params.signal ?? null, whenBusy: params.whenBusy ?? 'refused' },
    ids: deps.ids,
    plan,
    ir: definition.ir,
    state,
    ownsState: true,
    tenantPolicy: tenant.policy,
    budgets: params.budgets,
  });
  const shard = shardOf(executionId);
  const leaseTo = tenant.status === 'active' ? deps.startsHere.leaseTo(shard) : null;
  const decided = commitOfDecision({
    plan,
    base,
    rowStatus: null,
    events: eventsOfDecision([first, ...held], decision),
    decision,
    home: { leaseTo, priority: params.priority },
    takeSnapshot: false,
    descendantsMax: 0,
    ...(charge !== undefined && { charge }),
  });
  const startsTimers = [...decided.startsTimers, ...timers.map(({ timer }) => timer)];
  return { decision, commit: { ...decided, startsTimers, ...creationOf(params, shard) } };
}

function creationOf(params: Start, shard: number) {
  const { place, line } = params;
  const { definition } = params.compiled;
  const { workflowId } = definition;
  const { labels } = params.started.payload;
  return {
    create: {
      definitionId: definition.definitionId,
      workflowId,
      workflowVersion: definition.version,
      shard,
      priority: params.priority,
      parentExecutionId: null,
      ...(labels !== undefined && { labels }),
      request: params.request,
      limits: limitsOf(params),
      ...(params.isDerived === true && { isDerived: true }),
      ...placeInCommit(place),
    },
    ...(line !== null && { tenantLine: { state: line, shard, isNew: true } }),
    workflowHold: params.workflowPause === null ? null : ({ workflowId, is: 'put' } as const),
  };
}

/** Begins the work that was born leased to this process, and wakes the waiters for the rest. */
function goOn(
  deps: UseCaseDeps,
  started: Awaited<ReturnType<typeof planStart>> & {
    readonly verdict: Extract<CommitVerdict, { readonly accepted: true }>;
    readonly tenant: Tenant;
    readonly compiled: CompiledDefinition;
  },
): void {
  const { commit, decision, verdict, tenant, compiled } = started;
  const { createdAt } = verdict;
  const held = heldFromStart({ commit, createdAt, state: decision.next, compiled, tenant });
  deps.heldExecutions.set(held);
  if (leasesHere(commit)) {
    deps.startsHere.begin(held, {
      isMarked: decision.more,
      items: bornItems(commit, verdict.fences),
    });
  }
  afterCommit(deps, { commit, row: held.row, committedAt: createdAt, state: held.state });
}

/** Null for a tenant without limits, whose starts then cost nothing more. */
function limitsOf({ tenant, line }: Pick<Start, 'tenant' | 'line'>): StartLimits | null {
  const { max_concurrent_executions: max, max_queued_work_items: queued } = tenant.limits;
  const executions = line === null ? max : undefined;
  if (executions === undefined && queued === undefined) return null;
  return { executionsMax: executions ?? null, queuedItemsMax: queued ?? null };
}

/** Room comes when something ends, which nobody can foretell; a second keeps callers from hurrying. */
const RETRY_AFTER_SECONDS = 1;

function limitRefusal(reason: RefusalReason, tenant: Tenant): SvcError | null {
  const { max_concurrent_executions: executions = 0, max_queued_work_items: queued = 0 } =
    tenant.limits;
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  switch (reason) {
    case 'executions_limited':
      return limitExceeded({
        limit: 'max_concurrent_executions',
        max: executions,
        retryAfterSeconds,
        detail:
          `the tenant has all executions that may run at a time (${executions}): start again when one has ended, ` +
          'or set limits.when_full of the tenant to "queue", so that starts wait',
      });
    case 'queue_limited':
      return limitExceeded({
        limit: 'max_queued_work_items',
        max: queued,
        retryAfterSeconds,
        detail:
          `${queued} work items of the tenant wait for a worker, which is all that may: ` +
          'start again when workers have taken some, or run more workers',
      });
    default:
      return null;
  }
}
