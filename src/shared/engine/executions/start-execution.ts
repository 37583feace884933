import type { EngineDeps } from '../deps.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Caller, Reader } from '../caller.ts';
import type { HeldBudget } from '../../domain/budget/budget.ts';
import { hashJson } from '../../domain/canonical-json.ts';
import {
  badRequest,
  conflict,
  limitExceeded,
  notFound,
  type SvcError,
} from '../../domain/errors.ts';
import { emptyState } from '../../domain/execution/draft.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import { evolve } from '../../domain/execution/evolve.ts';
import { executionIdFromUuid, type ExecutionId } from '../../domain/ids.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { StandingPause } from '../../domain/workflow/workflow-pause.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type {
  CommitVerdict,
  ModelUse,
  NewExecution,
  RefusalReason,
  StartLimits,
} from '../../store/commit.ts';
import { afterCommit } from '../commit/after-commit.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import { bornItems } from '../advance/born-items.ts';
import { commitOfDecision, eventsOfDecision, newEvent } from '../commit/commit-plan.ts';
import { decideAnywhere } from '../advance/decide-serialised.ts';
import type { CompiledDefinition, Startable } from '../advance/definition-cache.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { heldFromStart } from '../advance/held-execution.ts';
import { pausedByWorkflow } from './pause-execution.ts';
import { isAmbiguous } from '../../store/store.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import type { CpuCaller } from '../../ports/cpu.ts';

/** What is to be run, on what. */
export interface StartSubject {
  readonly workflowId: string;
  /** Null: the version registered last. */
  readonly workflowVersion: string | null;
  readonly input: JsonObject;
  /** Aborted when nobody waits for the answer any more: checks of the input are dropped. */
  readonly signal?: AbortSignal;
  /** See `CpuCaller`; absent: refused. */
  readonly whenBusy?: CpuCaller['whenBusy'];
}

export interface StartExecution extends StartSubject {
  /** 0 first, 9 last; 5 when the caller says nothing. */
  readonly priority: number;
  /** The Idempotency-Key header, if any; the same key with another request is a 409. */
  readonly idempotencyKey: string | null;
  /** The traceparent header, if there is one that can be read. */
  readonly traceparent?: string;
  /** Absent: a new one. An execution of that id that is there already is a 409. */
  readonly executionId?: ExecutionId;
}

/**
 * Creates an execution together with its first consequences, in one transaction: once this answers,
 * the execution is durable and its first work is on its queue, or, where this process may run it,
 * leased to it and begun.
 */
export async function startExecution(
  deps: UseCaseDeps,
  caller: Caller,
  params: StartExecution,
): Promise<{ readonly executionId: ExecutionId }> {
  const compiled = await findStart(deps, caller, params);
  const { definition } = compiled;
  const executionId = params.executionId ?? executionIdFromUuid(deps.ids.uuid());
  const { tenantId, actorId } = caller;
  const { priority } = params;
  const request = requestOf(params);
  const started: Beginning['started'] = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: definition.workflowId,
      workflow_version: definition.version,
      definition_id: definition.definitionId,
      input: params.input,
      ...(params.traceparent !== undefined && { traceparent: params.traceparent }),
    },
  };
  const verdict = await beginExecution(deps, {
    compiled,
    workflowPause: compiled.workflowPause,
    executionId,
    tenantId,
    actorId,
    started,
    priority,
    request,
    budgets: [],
    refusesUnknown: true,
    ...(params.signal !== undefined && { signal: params.signal }),
    ...(params.whenBusy !== undefined && { whenBusy: params.whenBusy }),
  });
  if (verdict.accepted) return { executionId };
  if (verdict.existing !== null) {
    if (verdict.existing.bodyHash === request?.bodyHash) {
      return { executionId: verdict.existing.executionId };
    }
    throw conflict('this Idempotency-Key was used with a different request; use a new key', {
      execution_id: verdict.existing.executionId,
    });
  }
  throw conflict(`execution ${executionId} is there already`);
}

export interface Beginning extends Caller {
  readonly compiled: CompiledDefinition;
  /** Of its workflow, which holds it before its first step; null: none stands. */
  readonly workflowPause: StandingPause | null;
  readonly executionId: ExecutionId;
  readonly started: Extract<ExecutionEvent, { kind: 'WorkflowStarted' }>;
  readonly priority: number;
  readonly request: NewExecution['request'];
  readonly budgets: readonly HeldBudget[];
  /** What models had used already for what it goes on from. */
  readonly charge?: ModelUse;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** See `CpuCaller`; absent: refused. */
  readonly whenBusy?: CpuCaller['whenBusy'];
  /** Whether its input may not refer to an artifact that is not there. */
  readonly refusesUnknown: boolean;
}

/** Refused where the execution is there already, or its request was made before. */
export async function beginExecution(deps: UseCaseDeps, params: Beginning): Promise<CommitVerdict> {
  const { compiled, workflowPause, executionId, tenantId, started, charge } = params;
  const { definition, plan } = compiled;
  const first = newEvent(started, params.actorId);
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: first.payload,
    values: [started.payload],
    what: params.refusesUnknown ? 'the input' : null,
  });
  const base = emptyState({ executionId, tenantId });
  const facts = workflowPause === null ? [started] : [started, pausedByWorkflow(workflowPause)];
  const held = facts.slice(1).map((event) => newEvent(event, workflowPause?.by ?? params.actorId));
  const state = evolve({
    state: base,
    events: facts.map((event, index) => ({ ...event, sequence: index + 1 })),
    plan,
  });
  const tenant = await deps.tenants.get(tenantId);
  const { ir } = definition;
  const decision = await decideAnywhere({
    cpu: deps.cpu,
    caller: { signal: params.signal ?? null, whenBusy: params.whenBusy ?? 'refused' },
    ids: deps.ids,
    plan,
    ir,
    state,
    ownsState: true,
    tenantPolicy: tenant.policy,
    budgets: params.budgets,
  });
  const shard = shardOf(executionId);
  const leaseTo = tenant.status === 'active' ? deps.startsHere.leaseTo(shard) : null;
  const commit = {
    ...commitOfDecision({
      plan,
      base,
      rowStatus: null,
      events: eventsOfDecision([first, ...held], decision),
      decision,
      home: { leaseTo, priority: params.priority },
      takeSnapshot: false,
      descendantsMax: 0,
      ...(charge !== undefined && { charge }),
    }),
    create: {
      definitionId: definition.definitionId,
      workflowId: definition.workflowId,
      workflowVersion: definition.version,
      shard,
      priority: params.priority,
      parentExecutionId: null,
      request: params.request,
      limits: limitsOf(tenant),
    },
    workflowHold:
      workflowPause === null ? null : ({ workflowId: definition.workflowId, is: 'put' } as const),
  };
  const verdict = await deps.committer.commit(commit).catch((error: unknown) => {
    if (commit.bornLeased.length > 0 && isAmbiguous(error))
      deps.startsHere.noteLostAnswer(executionId);
    throw error;
  });
  if (verdict.accepted) {
    deps.report.count('executions_started', 1);
    const { createdAt } = verdict;
    if (commit.bornLeased.length > 0) {
      const held = heldFromStart({ commit, createdAt, state: decision.next, compiled, tenant });
      deps.startsHere.begin(held, {
        isMarked: decision.more,
        items: bornItems(commit, verdict.fences),
      });
    }
    const { workflowId } = definition;
    afterCommit(deps, { commit, row: { workflowId, shard, createdAt }, committedAt: createdAt });
    return verdict;
  }
  if (verdict.reason === 'workflow_resumed') {
    return beginExecution(deps, { ...params, workflowPause: null });
  }
  const refusal = limitRefusal(verdict.reason, tenant);
  if (refusal !== null) throw refusal;
  if (verdict.existing !== null || verdict.reason === 'exists') return verdict;
  throw new Error(`starting ${executionId} was refused: ${verdict.reason}`);
}

/** Throws where a start would be refused, but for limits. What its input refers to is kept for one. */
export async function checkStart(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: StartSubject,
): Promise<void> {
  const { input } = params;
  await findStart(deps, { tenantId }, params);
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: JSON.stringify(input),
    values: [input],
    what: 'the input',
  });
}

/** The definition that a start would run; throws where it would be refused, but for limits. */
async function findStart(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: StartSubject,
): Promise<Startable> {
  const { workflowId, workflowVersion } = params;
  const found = await deps.definitions.latest({ tenantId, workflowId, version: workflowVersion });
  if (found === null) {
    const version = workflowVersion === null ? '' : ` version ${workflowVersion}`;
    throw notFound(`workflow ${workflowId}${version}`);
  }
  const schema = found.plan.stateSchema;
  if (schema !== null) {
    const violations = await deps.cpu.validateSchema({
      schema,
      value: params.input,
      caller: {
        tenantId,
        signal: params.signal ?? null,
        whenBusy: params.whenBusy ?? 'refused',
      },
    });
    if (violations.length > 0) throw inputRefusal(violations);
  }
  return found;
}

function inputRefusal(violations: readonly string[]): Error {
  const told = tellViolations(violations, 'request');
  return badRequest(`input does not satisfy the state schema: ${told.join('; ')}`, {
    violations: told,
  });
}

/** Null for a tenant without limits, whose starts then cost nothing more. */
function limitsOf(tenant: Tenant): StartLimits | null {
  const { max_concurrent_executions: executions, max_queued_work_items: queued } = tenant.limits;
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
        detail: `the tenant has ${executions} executions that have not ended, which is all it may`,
      });
    case 'queue_limited':
      return limitExceeded({
        limit: 'max_queued_work_items',
        max: queued,
        retryAfterSeconds,
        detail: `${queued} work items of the tenant wait for a worker, which is all that may`,
      });
    default:
      return null;
  }
}

function requestOf(params: StartExecution): { key: string; bodyHash: string } | null {
  if (params.idempotencyKey === null) return null;
  const bodyHash = hashJson({
    workflow_id: params.workflowId,
    workflow_version: params.workflowVersion,
    input: params.input,
    priority: params.priority,
  });
  return { key: params.idempotencyKey, bodyHash };
}
