import type { Reader } from '../caller.ts';
import { notFound, protocolConflict } from '../../domain/errors.ts';
import { parseWorkItemId, type WorkItemId } from '../../domain/ids.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';

export interface RenewedItem {
  readonly workItemId: WorkItemId;
  readonly expiresAt: string;
  /** Null: it is of no durable function, or its turn was opened by another process. */
  readonly cancelRequested: boolean | null;
}

/** Renews a worker's lease, or says that it is lost; a lost lease never comes back (rule 8). */
export async function renewLease(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: {
    readonly workItemId: string;
    readonly workerId: string;
    readonly leaseFence: number;
  },
): Promise<RenewedItem> {
  const { leaseFence } = params;
  const workItemId = parseWorkItemId(params.workItemId);
  if (workItemId === null) throw notFound(`work item ${params.workItemId}`);
  const { leaseMs } = deps.settings;
  const renewed = await deps.workerLeases.renew({ workItemId, tenantId, leaseFence, leaseMs });
  if (renewed !== null) {
    const known = deps.workerLeases.handedOut({ workItemId, tenantId, leaseFence });
    const cancelRequested = known?.cancelRequested ?? null;
    return { workItemId, expiresAt: renewed.expiresAt, cancelRequested };
  }
  const found = await deps.store.work.find(workItemId, tenantId);
  if (found === null) throw notFound(`work item ${params.workItemId}`);
  throw protocolConflict({
    renewed: false,
    work_item_id: workItemId,
    reason:
      found.lease?.leaseFence === leaseFence
        ? 'the attempt has reached its time limit; abandon this item'
        : 'stale lease_fence: the lease was reclaimed or settled; abandon this item',
  });
}
