import { parseWorkItemId } from '../../domain/ids.ts';
import type { HeldLease, ListLeases } from '../../store/readings/work-overview.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

/** The items of the tenant that are leased now, with their holders. */
export function listLeases(
  { store }: EngineDeps,
  { tenantId }: Reader,
  {
    limit,
    workerId,
    after,
  }: Omit<ListLeases, 'tenantId' | 'after'> & { readonly after: string | null },
): Promise<readonly HeldLease[]> {
  const id = after === null ? null : parseWorkItemId(after);
  return store.workOverview.listLeases({ tenantId, limit, workerId, after: id });
}
