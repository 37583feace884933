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
import { isIdempotencyKey } from '../../domain/work/idempotency-key.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import { completionFacts } from '../advance/outcome-facts.ts';
import { type LeanEvents, leanEvents, resultIn } from '../artifacts/lean-events.ts';
import type { Settleable } from './worker-leases.ts';

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
  const endedAt = await commitSettle(settling, found, {
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
  { deps, caller: { tenantId: ofTenant }, params }: Settling<CompleteWorkItem>,
  { record, lease, definitionId }: Settleable,
): Promise<{ readonly facts: readonly ExecutionEvent[]; readonly lean: LeanEvents }> {
  const { idempotencyKey, output, statePatch, durationMs, genAiModel, finishReason } = params;
  checkKey(idempotencyKey, record);
  checkCoordinates(params, record);
  await checkOutput(deps, {
    definitionId,
    nodeId: record.nodeId,
    output,
    caller: { tenantId: ofTenant, signal: params.signal ?? null, whenBusy: 'refused' },
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

function checkKey(key: string | null, record: Settleable['record']): void {
  if (key === null || (isIdempotencyKey(key) && key === record.idempotencyKey)) return;
  throw badRequest(
    'idempotency_key is not the one minted for this work item (64 lowercase hex characters); echo it as claimed',
  );
}

/** An output that is not what the workflow was promised is refused: the worker can still fail. */
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
