import type { DatabaseOverview } from '../../store/installation.ts';
import { SHARD_COUNT, type Store } from '../../store/store.ts';
import type { WorkerRow } from '../../store/workers.ts';
import type { Reader } from '../caller.ts';
import type { MigrationFacts } from '../doctor/check.ts';
import { listWorkers } from '../work/list-workers.ts';
import type { SystemFacts } from './system-facts.ts';

export interface SystemReading {
  /** The runtime's processes that were seen in the last 60 seconds. */
  readonly processes: readonly WorkerRow[];
  /** False: there are more leases than were counted, so `activeItems` is only the least. */
  readonly areItemsExact: boolean;
  readonly database: DatabaseOverview;
  readonly migrations: MigrationFacts;
  /** Null: the store has no locks of shards. */
  readonly shards: { readonly total: number; readonly held: number } | null;
}

/** The installation at a glance: few statements, and none that grows with what is stored. */
export async function readSystem(
  deps: {
    readonly store: Pick<Store, 'workers' | 'diagnosis'>;
    readonly system: Pick<SystemFacts, 'migrations'>;
  },
  { tenantId }: Reader,
): Promise<SystemReading> {
  const { store, system } = deps;
  const [{ workers, isExact }, database, migrations] = await Promise.all([
    listWorkers(deps, { tenantId }),
    store.diagnosis.overview(),
    system.migrations(),
  ]);
  const held = database.lockHolders.reduce((sum, { shards }) => sum + shards, 0);
  return {
    processes: workers.filter(({ kind }) => kind === 'runtime'),
    areItemsExact: isExact,
    database,
    migrations,
    shards: database.dialect === 'sqlite' ? null : { total: SHARD_COUNT, held },
  };
}
