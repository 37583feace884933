import type { Store } from '../../store/store.ts';
import type { WorkerList } from '../../store/workers.ts';
import type { Reader } from '../caller.ts';

/** Leases that are counted for the workers, however many there are. */
const LEASES_MAX = 20_000;

/** The tenant's tool workers and the runtime's processes seen in the last 60 seconds. */
export function listWorkers(
  { store }: { readonly store: Pick<Store, 'workers'> },
  { tenantId }: Reader,
): Promise<WorkerList> {
  return store.workers.list({ tenantId, leasesMax: LEASES_MAX });
}
