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
 * The runtime trusts only the worker's fence: the lease must still exist under it at the moment of
 * the commit, and the recorded execution, node and visit come from the item. The read before the
 * commit only explains to the caller what is wrong; the commit's own condition decides. Checks come
 * in this order: item 404, fence 409, key and coordinates 400.
 *
 * If this process handed out the item under this fence, it knows everything that the commit needs,
 * and none of it ever changes. So it reads the item only if something is wrong, to report the
 * problems in the order above.
 */

export const ALREADY_SETTLED = 'already settled';

export interface Settling<Params extends SettleRef = SettleRef> {
  readonly deps: UseCaseDeps;
  readonly caller: Reader;
  readonly params: Params;
  readonly refuse: (reason: string) => SvcError;
}

/** The item as handed out here, or else as read; `check` throws if it is wrong. */
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

/** The item with the lease to end, or the obstacle. */
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

export const STALE_FENCE = 'stale lease_fence: the lease was reclaimed; abandon this item';

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

/** The item's settings in the workflow; read before the commit, after which nothing may fail. */
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
  const committedAt = await commitUnlessMoved(settling, found, commit);
  if (committedAt !== null) return committedAt;
  throw new Error(`settling ${found.record.workItemId} was refused: moved`);
}

/** When it was settled. Null: the execution is past the sequence that the commit expects. */
export async function commitUnlessMoved(
  settling: Settling,
  found: Settleable,
  commit: CommitPlan,
): Promise<string | null> {
  const { deps, refuse } = settling;
  const { record } = found;
  const verdict = await deps.committer.commit(commit);
  deps.workerLeases.forget(record.workItemId);
  if (verdict.accepted) {
    wakeFor(deps.wake, commit, shardOf(record.executionId));
    return verdict.createdAt;
  }
  // Report the obstacle: another caller was faster, or the item was settled before.
  await findSettleable(settling);
  if (verdict.reason === 'moved') return null;
  if (verdict.reason === 'ended') throw refuse(ALREADY_SETTLED);
  if (verdict.reason === 'stale') throw refuse(STALE_FENCE);
  throw new Error(`settling ${record.workItemId} was refused: ${verdict.reason}`);
}

/** A worker need not know the price of a model. */
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
