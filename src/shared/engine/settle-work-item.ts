import { badRequest, notFound, protocolConflict, type SvcError } from '../domain/errors.ts';
import { type DefinitionId, parseExecutionId, parseWorkItemId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { isIdempotencyKey } from '../domain/work/idempotency-key.ts';
import { costOf, findPriceByName } from '../domain/models/price.ts';
import { judgeRetry } from '../domain/work/retry.ts';
import type { WorkItemRecord } from '../domain/work/work-item.ts';
import type { Usage } from '../nodes/run.ts';
import { type CommitPlan, emptyCommit } from '../store/commit.ts';
import type { FoundWorkItem, Lease } from '../store/store.ts';
import { leanEvents, resultIn } from './artifacts/lean-events.ts';
import { chargeWith } from './budgets.ts';
import { newEvent } from './commit-plan.ts';
import type { EngineDeps } from './deps.ts';
import type {
  CompleteWorkItem,
  FailedWorkItem,
  FailWorkItem,
  SettledWorkItem,
  SettleRef,
} from './engine.ts';
import { type Attempt, completionFacts, failureFact } from './outcome-facts.ts';
import { shardOf } from './shard-of.ts';
import { wakeFor } from './wake-for.ts';

/*
 * Settling a work item: the worker protocol's rules 1 to 7.
 *
 * Nothing that a worker says is trusted but its fence: the lease must still be there under it at
 * the moment of the commit, and what is recorded (execution, node, visit) comes from the item. The
 * reading before the commit serves only to tell the caller what is wrong; the commit's own
 * condition decides. Checks come in this order: item 404, fence 409, key and coordinates 400.
 */

export async function completeWorkItem(
  deps: EngineDeps,
  params: CompleteWorkItem,
): Promise<SettledWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ completed: false, reason });
  const { record, lease, definitionId } = await findSettleable(deps, params, refuse);
  const { idempotencyKey, output, statePatch } = params;
  checkKey(idempotencyKey, record);
  checkCoordinates(params, record);
  await checkOutput(deps, { definitionId, nodeId: record.nodeId, output });
  const { workItemId, tenantId, tool } = record;
  const { durationMs, genAiModel, finishReason } = params;
  const usage = priced(deps, params.usage);
  const facts = completionFacts(attemptOf(lease), {
    output,
    statePatch,
    report: { tool, durationMs, genAiModel, finishReason },
    ...(usage !== null && { usage }),
  });
  const actorId = workerActor(lease);
  const compiled = () => deps.definitions.get(definitionId);
  const lean = await leanEvents(deps, {
    tenantId,
    facts,
    compiled,
    actorId,
    refusesUnknown: true,
  });
  if (idempotencyKey === null) deps.report.count('unrecorded_keys', 1);
  if (params.leaseFence === null) {
    deps.report.count('unfenced_settles', 1);
    const settled = await deps.store.work.settleUnfenced({
      workItemId,
      tenantId,
      record: idempotencyKey === null ? null : resultIn(lean),
      // Nothing will move the execution on by itself: an operator has to see it, and can requeue it.
      deadLetter: 'completed without lease_fence, so its node was not told',
    });
    if (!settled) throw refuse(ALREADY_SETTLED);
    return { workItemId, deprecated: true };
  }
  await commitSettle(deps, params, record, refuse, {
    ...emptyCommit(record),
    settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],
    events: lean.stored,
    ...chargeWith(facts),
    recordsOutput:
      idempotencyKey === null
        ? null
        : { idempotencyKey, workItemId, eventIndex: lean.stored.length - 1 },
    runnable: 'mark',
  });
  deps.report.count('items_completed', 1);
  return { workItemId, deprecated: idempotencyKey === null };
}

export async function failWorkItem(
  deps: EngineDeps,
  params: FailWorkItem,
): Promise<FailedWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ failed: false, reason });
  const { record, lease } = await findSettleable(deps, params, refuse);
  checkCoordinates(params, record);
  const { workItemId, tenantId, idempotencyKey, retryPolicy } = record;
  const { attempt } = lease.ticket;
  const { error, errorClass } = params;
  const usage = priced(deps, params.usage);
  if (params.leaseFence === null) {
    deps.report.count('unfenced_settles', 1);
    const settled = await deps.store.work.settleUnfenced({
      workItemId,
      tenantId,
      record: null,
      deadLetter: error,
    });
    if (!settled) throw refuse(ALREADY_SETTLED);
    return {
      workItemId,
      retryable: false,
      attempt,
      warning:
        'lease_fence was omitted: the item is settled, but its node is neither failed nor retried; send lease_fence',
    };
  }
  const verdict = judgeRetry({
    policy: retryPolicy,
    attempt,
    errorClass,
    seed: idempotencyKey,
  });
  const failed = failureFact(attemptOf(lease), {
    error,
    errorClass,
    verdict,
    ...(usage !== null && { usage }),
  });
  await commitSettle(deps, params, record, refuse, {
    ...emptyCommit(record),
    settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],
    events: [newEvent(failed, workerActor(lease))],
    ...chargeWith([failed]),
    deadLetters: verdict.retryable ? [] : [{ workItemId, attempt, error }],
    runnable: 'mark',
  });
  deps.report.count('items_failed', 1);
  deps.report.count(verdict.retryable ? 'retries' : 'dead_letters', 1);
  return { workItemId, retryable: verdict.retryable, attempt, warning: null };
}

const ALREADY_SETTLED = 'already settled';

interface Settleable {
  readonly record: WorkItemRecord;
  readonly lease: Lease;
  readonly definitionId: DefinitionId;
}

/** The item with the lease that is to be ended, or what stands in the way. */
async function findSettleable(
  deps: EngineDeps,
  params: SettleRef,
  refuse: (reason: string) => SvcError,
): Promise<Settleable> {
  const id = parseWorkItemId(params.workItemId);
  const found = id && (await deps.store.work.find(id, params.tenantId));
  if (found === null) throw notFound(`work item ${params.workItemId}`);
  const { record, lease, definitionId } = found;
  if (lease === null) throw refuse(reasonNotLeased(found));
  if (params.leaseFence !== null && lease.leaseFence !== params.leaseFence) {
    throw refuse(STALE_FENCE);
  }
  return { record, lease, definitionId };
}

const STALE_FENCE = 'stale lease_fence: the lease was reclaimed; abandon this item';

function reasonNotLeased(found: FoundWorkItem): string {
  return found.place === 'queued' || found.place === 'retrying' ? STALE_FENCE : ALREADY_SETTLED;
}

function checkKey(key: string | null, record: WorkItemRecord): void {
  if (key === null || (isIdempotencyKey(key) && key === record.idempotencyKey)) return;
  throw badRequest(
    'idempotency_key is not the one minted for this work item (64 lowercase hex characters); echo it as claimed',
  );
}

/** An output that is not what the workflow was promised is refused: the worker can still fail. */
async function checkOutput(
  deps: EngineDeps,
  of: {
    readonly definitionId: DefinitionId;
    readonly nodeId: string;
    readonly output: JsonObject;
  },
): Promise<void> {
  const { plan } = await deps.definitions.get(of.definitionId);
  const node = plan.nodes.get(of.nodeId);
  const schema = node?.kind.outputSchema?.(node.spec) ?? null;
  if (schema === null) return;
  const violations = await deps.cpu.validateSchema({ schema, value: of.output });
  if (violations.length === 0) return;
  const told = violations.slice(0, VIOLATIONS_TOLD_MAX);
  throw badRequest(`output does not satisfy the node's output_schema: ${told.join('; ')}`, {
    violations: told,
  });
}

const VIOLATIONS_TOLD_MAX = 20;

function checkCoordinates(params: SettleRef, record: WorkItemRecord): void {
  if (params.executionId !== null && parseExecutionId(params.executionId) !== record.executionId) {
    throw badRequest(`execution_id is not the work item's, which is ${record.executionId}`);
  }
  if (params.nodeId !== null && params.nodeId !== record.nodeId) {
    throw badRequest(`node_id is not the work item's, which is ${record.nodeId}`);
  }
}

async function commitSettle(
  deps: EngineDeps,
  params: SettleRef,
  record: WorkItemRecord,
  refuse: (reason: string) => SvcError,
  commit: CommitPlan,
): Promise<void> {
  const verdict = await deps.committer.commit(commit);
  if (verdict.accepted) {
    wakeFor(deps.wake, commit, shardOf(record.executionId));
    return;
  }
  if (verdict.reason === 'ended') throw refuse(ALREADY_SETTLED);
  if (verdict.reason === 'stale') {
    // Somebody was faster: say who won.
    await findSettleable(deps, params, refuse);
    throw refuse(STALE_FENCE);
  }
  throw new Error(`settling ${record.workItemId} was refused: ${verdict.reason}`);
}

/** A worker need not know what a model costs. */
function priced({ prices }: EngineDeps, usage: Usage | null): Usage | null {
  if (usage === null || usage.costUsd !== null || usage.model === undefined) return usage;
  const price = findPriceByName(prices, usage.model);
  if (price === null) return usage;
  const { inputTokens: input, outputTokens: output } = usage;
  return { ...usage, costUsd: costOf(price, { input, output, cachedInput: 0, cacheWrite: 0 }) };
}

function attemptOf({ ticket, workerId }: Lease): Attempt {
  return { ...ticket, workerId };
}

function workerActor(lease: Lease): string {
  return `worker:${lease.workerId}`;
}
