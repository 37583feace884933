import { parseExecutionId, parseWorkItemId } from '../../domain/ids.ts';
import type { LeasePage, LeasePlace, ListLeases } from '../../store/readings/work-overview.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

/** One page looks through so many leases at most. */
const SCANNED_MAX = 20_000;

/** The items of the tenant that are leased now, with their holders, from a bounded part of all leases. */
export function listLeases(
  { store }: EngineDeps,
  { tenantId }: Reader,
  params: Omit<ListLeases, 'tenantId' | 'within'>,
): Promise<LeasePage> {
  return store.workOverview.listLeases({ ...params, tenantId, within: SCANNED_MAX });
}

/** The place that two columns of a cursor name; null: they name none. */
export function readLeasePlace([execution, item]: readonly unknown[]): LeasePlace | null {
  const executionId = typeof execution === 'string' ? parseExecutionId(execution) : null;
  const workItemId = typeof item === 'string' ? parseWorkItemId(item) : null;
  return executionId === null || workItemId === null ? null : { executionId, workItemId };
}
