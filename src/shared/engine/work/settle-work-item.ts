import { badRequest, notFound, protocolConflict, type SvcError } from '../../domain/errors.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import {
  type DefinitionId,
  parseExecutionId,
  parseWorkItemId,
  type TenantId,
  type WorkItemId,
} from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isIdempotencyKey } from '../../domain/work/idempotency-key.ts';
import { costOf, findPriceByName } from '../../domain/models/price.ts';
import { judgeRetry } from '../../domain/work/retry.ts';
import type { Usage } from '../../nodes/run.ts';
import { type CommitPlan, emptyCommit } from '../../store/commit.ts';
import type { FoundWorkItem } from '../../store/store.ts';
import { type LeanEvents, leanEvents, resultIn } from '../artifacts/lean-events.ts';
import { chargeWith } from '../advance/budgets.ts';
import { newEvent } from '../commit/commit-plan.ts';
import type { EngineDeps } from '../deps.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import { type Attempt, completionFacts, failureFact } from '../advance/outcome-facts.ts';
import { reportAttempt } from './report-attempt.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';
import type { Settleable, WorkerDesk } from './worker-desk.ts';

/** An item as the caller names it, with what the body says about it; null: omitted. */
export interface SettleRef {
  readonly tenantId: TenantId;
  readonly workItemId: string;
  readonly leaseFence: number | null;
  readonly executionId: string | null;
  readonly nodeId: string | null;
}

export interface CompleteWorkItem extends SettleRef {
  readonly idempotencyKey: string | null;
  readonly output: JsonObject;
  readonly statePatch: JsonObject;
  readonly durationMs: number | null;
  readonly genAiModel: string | null;
  readonly finishReason: string | null;
  /** What models the worker called used; null: it doesn't say. */
  readonly usage: Usage | null;
  /** Aborted when nobody waits for the answer any more: the check of the output is dropped. */
  readonly signal?: AbortSignal;
}

export interface SettledWorkItem {
  readonly workItemId: WorkItemId;
  /** Deprecated behaviour was used: no fence, or no key. */
  readonly deprecated: boolean;
}

export interface FailWorkItem extends SettleRef {
  readonly error: string;
  /** Classifies the error for the retry policy; `error` when the worker doesn't say. */
  readonly errorClass: string;
  /** What models the worker called used; null: it doesn't say. */
  readonly usage: Usage | null;
}

export interface FailedWorkItem {
  readonly workItemId: WorkItemId;
  readonly retryable: boolean;
  /** The attempt that just failed, from 0. */
  readonly attempt: number;
  /** Set when the fence was omitted. */
  readonly warning: string | null;
}

/*
 * Settling a work item: the worker protocol's rules 1 to 7.
 *
 * Nothing that a worker says is trusted but its fence: the lease must still be there under it at
 * the moment of the commit, and what is recorded (execution, node, visit) comes from the item. The
 * reading before the commit serves only to tell the caller what is wrong; the commit's own
 * condition decides. Checks come in this order: item 404, fence 409, key and coordinates 400.
 *
 * Of an item that this process has handed out under this very fence all is known that the commit
 * needs, and none of it ever changes. So nothing is read, unless something is wrong: then the reading
 * comes first after all, so that what stands in the way comes in its order.
 */

export async function completeWorkItem(
  deps: EngineDeps,
  desk: WorkerDesk,
  params: CompleteWorkItem,
): Promise<SettledWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ completed: false, reason });
  const { idempotencyKey } = params;
  const { found, checked } = await checkSettleable({ deps, desk, params, refuse }, (settleable) =>
    checkCompletion(deps, params, settleable),
  );
  const { record } = found;
  const { workItemId, tenantId } = record;
  const { facts, lean } = checked;
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
    deps.report.count('dead_letters', 1);
    return { workItemId, deprecated: true };
  }
  const work = await knownOf(deps, found);
  const endedAt = await commitSettle({ deps, desk, params, refuse }, found, {
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
  reportAttempt(deps, found, {
    ...work,
    endedAt,
    error: null,
    usage: priced(deps, params.usage),
    model: params.genAiModel,
  });
  return { workItemId, deprecated: idempotencyKey === null };
}

/** What the item's completion records; throws the 400 of one that is not as it should be. */
async function checkCompletion(
  deps: EngineDeps,
  params: CompleteWorkItem,
  { record, lease, definitionId }: Settleable,
): Promise<{ readonly facts: readonly ExecutionEvent[]; readonly lean: LeanEvents }> {
  const { idempotencyKey, output, statePatch, durationMs, genAiModel, finishReason } = params;
  checkKey(idempotencyKey, record);
  checkCoordinates(params, record);
  await checkOutput(deps, {
    definitionId,
    nodeId: record.nodeId,
    output,
    caller: { tenantId: params.tenantId, signal: params.signal ?? null, whenBusy: 'refused' },
  });
  const { tenantId, tool } = record;
  const usage = priced(deps, params.usage);
  const facts = completionFacts(attemptOf(lease), {
    output,
    statePatch,
    report: { tool, durationMs, genAiModel, finishReason },
    ...(usage !== null && { usage }),
  });
  const lean = await leanEvents(deps, {
    tenantId,
    facts,
    compiled: () => deps.definitions.get(definitionId),
    actorId: workerActor(lease),
    refusesUnknown: true,
  });
  return { facts, lean };
}

export async function failWorkItem(
  deps: EngineDeps,
  desk: WorkerDesk,
  params: FailWorkItem,
): Promise<FailedWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ failed: false, reason });
  const { found } = await checkSettleable({ deps, desk, params, refuse }, async ({ record: of }) =>
    checkCoordinates(params, of),
  );
  const { record, lease } = found;
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
    deps.report.count('dead_letters', 1);
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
  const work = await knownOf(deps, found);
  const endedAt = await commitSettle({ deps, desk, params, refuse }, found, {
    ...emptyCommit(record),
    settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],
    events: [newEvent(failed, workerActor(lease))],
    ...chargeWith([failed]),
    deadLetters: verdict.retryable ? [] : [{ workItemId, attempt, error }],
    runnable: 'mark',
  });
  deps.report.count('items_failed', 1);
  reportAttempt(deps, found, {
    ...work,
    endedAt,
    error: { type: errorClass, message: error },
    usage,
    model: null,
  });
  return { workItemId, retryable: verdict.retryable, attempt, warning: null };
}

const ALREADY_SETTLED = 'already settled';

interface Settling {
  readonly deps: EngineDeps;
  readonly desk: WorkerDesk;
  readonly params: SettleRef;
  readonly refuse: (reason: string) => SvcError;
}

/** The item as it was handed out here, else as it is read; `check` throws what is wrong with it. */
async function checkSettleable<Checked>(
  { deps, desk, params, refuse }: Settling,
  check: (settleable: Settleable) => Promise<Checked>,
): Promise<{ readonly found: Settleable; readonly checked: Checked }> {
  const known = handedOut(desk, params);
  const found = known ?? (await findSettleable(deps, params, refuse));
  try {
    return { found, checked: await check(found) };
  } catch (error) {
    if (known !== null) await findSettleable(deps, params, refuse);
    throw error;
  }
}

function handedOut(desk: WorkerDesk, params: SettleRef): Settleable | null {
  const { tenantId, leaseFence } = params;
  const workItemId = parseWorkItemId(params.workItemId);
  if (workItemId === null || leaseFence === null) return null;
  return desk.handedOut({ workItemId, tenantId, leaseFence });
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

function checkKey(key: string | null, record: Settleable['record']): void {
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
    readonly caller: CpuCaller;
  },
): Promise<void> {
  const { plan } = await deps.definitions.get(of.definitionId);
  const node = plan.nodes.get(of.nodeId);
  const schema = node?.kind.outputSchema?.(node.spec) ?? null;
  if (schema === null) return;
  const violations = await deps.cpu.validateSchema({
    schema,
    value: of.output,
    caller: of.caller,
  });
  if (violations.length === 0) return;
  const told = violations.slice(0, VIOLATIONS_TOLD_MAX);
  throw badRequest(`output does not satisfy the node's output_schema: ${told.join('; ')}`, {
    violations: told,
  });
}

const VIOLATIONS_TOLD_MAX = 20;

function checkCoordinates(params: SettleRef, record: Settleable['record']): void {
  if (params.executionId !== null && parseExecutionId(params.executionId) !== record.executionId) {
    throw badRequest(`execution_id is not the work item's, which is ${record.executionId}`);
  }
  if (params.nodeId !== null && params.nodeId !== record.nodeId) {
    throw badRequest(`node_id is not the work item's, which is ${record.nodeId}`);
  }
}

/** Read before the commit: once it is made, nothing may go wrong any more. */
/** What its workflow says of it. */
async function knownOf(
  deps: EngineDeps,
  found: Settleable,
): Promise<{ readonly workflowId: string; readonly nodeKind: string }> {
  const { plan } = await deps.definitions.get(found.definitionId);
  const nodeKind = plan.nodes.get(found.record.nodeId)?.kind.type ?? 'unknown';
  return { workflowId: plan.workflowId, nodeKind };
}

/** When it was settled. */
async function commitSettle(
  { deps, desk, params, refuse }: Settling,
  found: Settleable,
  commit: CommitPlan,
): Promise<string> {
  const { record } = found;
  const verdict = await deps.committer.commit(commit);
  desk.forget(record.workItemId);
  if (verdict.accepted) {
    wakeFor(deps.wake, commit, shardOf(record.executionId));
    return verdict.createdAt;
  }
  // Say what stands in the way: somebody was faster, or it was over before.
  await findSettleable(deps, params, refuse);
  if (verdict.reason === 'ended') throw refuse(ALREADY_SETTLED);
  if (verdict.reason === 'stale') throw refuse(STALE_FENCE);
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

function attemptOf({ ticket, workerId }: Settleable['lease']): Attempt {
  return { ...ticket, workerId };
}

function workerActor(lease: Settleable['lease']): string {
  return `worker:${lease.workerId}`;
}
