import type { WorkerRow } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

/** The tenant's tool workers and the runtime's processes seen in the last 60 seconds. */
export function listWorkers(
  { store }: EngineDeps,
  { tenantId }: Reader,
): Promise<readonly WorkerRow[]> {
  return store.workers.list(tenantId);
}
