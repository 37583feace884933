import { parseExecutionId } from '../../domain/ids.ts';
import type { AuditPage, ListAudit } from '../../store/audit.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

export interface AuditFilter extends Omit<ListAudit, 'tenantId' | 'executionId'> {
  /** As the caller wrote it, in any accepted form. */
  readonly executionId: string | null;
}

/** The changes in the tenant, newest first. */
export async function listAudit(
  { store }: Pick<EngineDeps, 'store'>,
  { tenantId }: Reader,
  filter: AuditFilter,
): Promise<AuditPage> {
  const executionId = filter.executionId === null ? null : parseExecutionId(filter.executionId);
  // An id of an unknown form is the id of nothing.
  if (filter.executionId !== null && executionId === null)
    return { items: [], next: null, total: 0, totalIsExact: true };
  return store.audit.list({ ...filter, tenantId, executionId });
}
