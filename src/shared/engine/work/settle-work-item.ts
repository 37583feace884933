import type { Reader } from '../caller.ts';
import { badRequest, notFound, type SvcError } from '../../domain/errors.ts';
import { parseExecutionId, parseWorkItemId } from '../../domain/ids.ts';
import { costOf, findPriceByName } from '../../domain/models/price.ts';
import type { Usage } from '../../nodes/run.ts';
import { type CommitPlan } from '../../store/commit.ts';
import type { FoundWorkItem } from '../../store/store.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { type Attempt } from '../advance/outcome-facts.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { wakeFor } from '../wake/wake-for.ts';
import type { Settleable } from './worker-leases.ts';

/** An item as the caller names it, with what the body says about it; null: omitted. */
export interface SettleRef {
  readonly workItemId: string;
  readonly leaseFence: number | null;
  readonly executionId: string | null;
  readonly nodeId: string | null;
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

export const ALREADY_SETTLED = 'already settled';

export interface Settling<Params extends SettleRef = SettleRef> {
  readonly deps: UseCaseDeps;
  readonly caller: Reader;
  readonly params: Params;
  readonly refuse: (reason: string) => SvcError;
}

/** The item as it was handed out here, else as it is read; `check` throws what is wrong with it. */
export async function checkSettleable<Checked>(
  settling: Settling,
  check: (settleable: Settleable) => Promise<Checked>,
): Promise<{ readonly found: Settleable; readonly checked: Checked }> {
  const known = handedOut(settling);
  const found = known ?? (await findSettleable(settling));
  try {
    return { found, checked: await check(found) };
  } catch (error) {
    if (known !== null) await findSettleable(settling);
    throw error;
  }
}

function handedOut({ deps, caller, params }: Settling): Settleable | null {
  const { tenantId } = caller;
  const { leaseFence } = params;
  const workItemId = parseWorkItemId(params.workItemId);
  if (workItemId === null || leaseFence === null) return null;
  return deps.workerLeases.handedOut({ workItemId, tenantId, leaseFence });
}

/** The item with the lease that is to be ended, or what stands in the way. */
async function findSettleable({ deps, caller, params, refuse }: Settling): Promise<Settleable> {
  const id = parseWorkItemId(params.workItemId);
  const found = id && (await deps.store.work.find(id, caller.tenantId));
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

export function checkCoordinates(params: SettleRef, record: Settleable['record']): void {
  if (params.executionId !== null && parseExecutionId(params.executionId) !== record.executionId) {
    throw badRequest(`execution_id is not the work item's, which is ${record.executionId}`);
  }
  if (params.nodeId !== null && params.nodeId !== record.nodeId) {
    throw badRequest(`node_id is not the work item's, which is ${record.nodeId}`);
  }
}

/** What the workflow says of the item; read before the commit, after which nothing may fail. */
export async function knownOf(
  deps: UseCaseDeps,
  found: Settleable,
): Promise<{ readonly workflowId: string; readonly nodeKind: string }> {
  const { plan } = await deps.definitions.get(found.definitionId);
  const nodeKind = plan.nodes.get(found.record.nodeId)?.kind.type ?? 'unknown';
  return { workflowId: plan.workflowId, nodeKind };
}

/** When it was settled. */
export async function commitSettle(
  settling: Settling,
  found: Settleable,
  commit: CommitPlan,
): Promise<string> {
  const { deps, refuse } = settling;
  const { record } = found;
  const verdict = await deps.committer.commit(commit);
  deps.workerLeases.forget(record.workItemId);
  if (verdict.accepted) {
    wakeFor(deps.wake, commit, shardOf(record.executionId));
    return verdict.createdAt;
  }
  // Say what stands in the way: somebody was faster, or it was over before.
  await findSettleable(settling);
  if (verdict.reason === 'ended') throw refuse(ALREADY_SETTLED);
  if (verdict.reason === 'stale') throw refuse(STALE_FENCE);
  throw new Error(`settling ${record.workItemId} was refused: ${verdict.reason}`);
}

/** A worker need not know what a model costs. */
export function priced({ prices }: UseCaseDeps, usage: Usage | null): Usage | null {
  if (usage === null || usage.costUsd !== null || usage.model === undefined) return usage;
  const price = findPriceByName(prices, usage.model);
  if (price === null) return usage;
  const { inputTokens: input, outputTokens: output } = usage;
  return { ...usage, costUsd: costOf(price, { input, output, cachedInput: 0, cacheWrite: 0 }) };
}

export function attemptOf({ ticket, workerId }: Settleable['lease']): Attempt {
  return { ...ticket, workerId };
}

export function workerActor(lease: Settleable['lease']): string {
  return `worker:${lease.workerId}`;
}
