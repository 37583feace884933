import type { Reader } from '../caller.ts';
import { notFound, protocolConflict } from '../../domain/errors.ts';
import { parseWorkItemId, type WorkItemId } from '../../domain/ids.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';

/** Renews a worker's lease, or says that it is lost; a lost lease never comes back (rule 8). */
export async function renewLease(
  deps: UseCaseDeps,
  { tenantId }: Reader,
  params: {
    readonly workItemId: string;
    readonly workerId: string;
    readonly leaseFence: number;
  },
): Promise<{ readonly workItemId: WorkItemId; readonly expiresAt: string }> {
  const { leaseFence } = params;
  const workItemId = parseWorkItemId(params.workItemId);
  if (workItemId === null) throw notFound(`work item ${params.workItemId}`);
  const { leaseMs } = deps.settings;
  const renewed = await deps.workerLeases.renew({ workItemId, tenantId, leaseFence, leaseMs });
  if (renewed !== null) return { workItemId, expiresAt: renewed.expiresAt };
  const found = await deps.store.work.find(workItemId, tenantId);
  if (found === null) throw notFound(`work item ${params.workItemId}`);
  throw protocolConflict({
    renewed: false,
    work_item_id: workItemId,
    reason:
      found.lease?.leaseFence === leaseFence
        ? 'the time of this attempt is over; abandon this item'
        : 'stale lease_fence: the lease was reclaimed or settled; abandon this item',
  });
}
