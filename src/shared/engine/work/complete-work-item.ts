import type { Reader } from '../caller.ts';
import { badRequest, protocolConflict, type SvcError } from '../../domain/errors.ts';
import type { WorkItemId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Usage } from '../../nodes/run.ts';
import { emptyCommit } from '../../store/commit.ts';
import { chargeWith } from '../advance/budgets.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { reportAttempt } from './report-attempt.ts';
import {
  ALREADY_SETTLED,
  attemptOf,
  checkCoordinates,
  checkSettleable,
  commitSettle,
  knownOf,
  priced,
  type SettleRef,
  type Settling,
  workerActor,
} from './settle-work-item.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { DefinitionId } from '../../domain/ids.ts';
import type { Labels } from '../../domain/execution/labels/labels.ts';
import type { JournalEntry } from '../../domain/execution/function-events.ts';
import { isIdempotencyKey } from '../../domain/work/idempotency-key.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import { completionFacts } from '../advance/outcome-facts.ts';
import { type OffloadedEvents, offloadEvents, resultIn } from '../artifacts/offload-events.ts';
import { commitLabelled } from './commit-labelled.ts';
import { completeFunction } from './functions/settle-function.ts';
import { settleAndDecide } from './settle-and-decide.ts';
import type { Settleable } from './worker-leases.ts';

export interface CompleteWorkItem extends SettleRef {
  readonly idempotencyKey: string | null;
  readonly output: JsonObject;
  readonly statePatch: JsonObject;
  /** Labels for the execution. */
  readonly labels?: Labels;
  readonly durationMs: number | null;
  readonly genAiModel: string | null;
  readonly finishReason: string | null;
  /** Usage of the models that the worker called; null: not reported. */
  readonly usage: Usage | null;
  /** For a durable function: entries to record with this, and how many the worker knows. */
  readonly entries?: readonly JournalEntry[];
  readonly expectedLength?: number | null;
  /** Aborted when nobody waits for the answer any more: the check of the output is dropped. */
  readonly signal?: AbortSignal;
}

export interface SettledWorkItem {
  readonly workItemId: WorkItemId;
  /** Deprecated behaviour was used: no fence, or no key. */
  readonly deprecated: boolean;
}

export async function completeWorkItem(
  deps: UseCaseDeps,
  caller: Reader,
  params: CompleteWorkItem,
): Promise<SettledWorkItem> {
  const refuse = (reason: string): SvcError => protocolConflict({ completed: false, reason });
  const { idempotencyKey } = params;
  const settling = { deps, caller, params, refuse };
  const { found, checked } = await checkSettleable(settling, (settleable) =>
    checkCompletion(settling, settleable),
  );
  const { record } = found;
  const { workItemId, tenantId } = record;
  const { facts, offloaded } = checked;
  if (record.queue === 'function') {
    return completeTurn(deps, caller, { ...params, ...checked, refuse, facts: offloaded.facts });
  }
  if (idempotencyKey === null) deps.report.count('unrecorded_keys', 1);
  if (params.leaseFence === null) {
    deps.report.count('unfenced_settles', 1);
    const settled = await deps.store.work.settleUnfenced({
      workItemId,
      tenantId,
      record: idempotencyKey === null ? null : resultIn(offloaded),
      // The execution cannot continue alone: an operator must see the item, and can requeue it.
      deadLetter: 'completed without lease_fence, so its node did not complete',
    });
    if (!settled) throw refuse(ALREADY_SETTLED);
    deps.report.count('dead_letters', 1);
    return { workItemId, deprecated: true };
  }
  const work = await knownOf(deps, found);
  const { stored } = offloaded;
  const { labels } = params;
  const settled = { facts: offloaded.facts, stored, ...(labels && { labels }) };
  const commit = labels === undefined ? commitSettle : commitLabelled;
  const endedAt =
    (await settleAndDecide(deps, found, settled)) ??
    (await commit(settling, found, {
      ...emptyCommit(record),
      settles: [{ workItemId, leaseFence: params.leaseFence, onlyIfExpired: false }],
      events: stored,
      ...chargeWith(facts),
      ...(labels && { setsLabels: labels }),
      runnable: 'mark',
    }));
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

async function completeTurn(
  deps: UseCaseDeps,
  caller: Reader,
  params: CompleteWorkItem & {
    readonly refuse: (reason: string) => SvcError;
    readonly facts: readonly ExecutionEvent[];
    readonly check: () => Promise<void>;
  },
): Promise<SettledWorkItem> {
  const { entries = [], expectedLength = null } = params;
  const settled = await completeFunction(deps, caller, { ...params, entries, expectedLength });
  const { found, committedAt: endedAt } = settled;
  const work = await knownOf(deps, found);
  deps.report.count('items_completed', 1);
  const usage = priced(deps, params.usage);
  reportAttempt(deps, found, { ...work, endedAt, error: null, usage, model: params.genAiModel });
  return { workItemId: found.record.workItemId, deprecated: params.idempotencyKey === null };
}

/** The events that record the item's completion. Throws the 400 of an invalid one. */
async function checkCompletion(
  { deps, caller: { tenantId: ofTenant }, params }: Settling<CompleteWorkItem>,
  { record, lease, definitionId }: Settleable,
): Promise<{
  readonly facts: readonly ExecutionEvent[];
  readonly offloaded: OffloadedEvents;
  readonly check: () => Promise<void>;
}> {
  const { idempotencyKey, output, statePatch, durationMs, genAiModel, finishReason } = params;
  checkKey(idempotencyKey, record);
  checkCoordinates(params, record);
  const check = () =>
    checkOutput(deps, {
      definitionId,
      nodeId: record.nodeId,
      output,
      caller: { tenantId: ofTenant, signal: params.signal ?? null, whenBusy: 'refused' },
    });
  // A function checks later: while it is rolled back, as its journal shows, it gives no output.
  if (record.queue !== 'function') await check();
  const { tenantId, tool } = record;
  const usage = priced(deps, params.usage);
  const facts = completionFacts(attemptOf(lease), {
    output,
    statePatch,
    report: { tool, durationMs, genAiModel, finishReason },
    ...(params.labels !== undefined && { labels: params.labels }),
    ...(usage !== null && { usage }),
  });
  const offloaded = await offloadEvents(deps, {
    tenantId,
    facts,
    compiled: () => deps.definitions.get(definitionId),
    actorId: workerActor(lease),
    refusesUnknown: true,
  });
  return { facts, offloaded, check };
}

function checkKey(key: string | null, record: Settleable['record']): void {
  if (key === null || (isIdempotencyKey(key) && key === record.idempotencyKey)) return;
  throw badRequest(
    'idempotency_key is not the one minted for this work item (64 lowercase hex characters); echo it as claimed',
  );
}

/** Refuses an output that violates the workflow's schema; the worker can still fail the item. */
async function checkOutput(
  deps: UseCaseDeps,
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
  const told = tellViolations(violations, 'request');
  throw badRequest(`output does not satisfy the node's output_schema: ${told.join('; ')}`, {
    violations: told,
  });
}
