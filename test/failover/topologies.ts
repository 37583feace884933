import { findPgbouncer } from '../chaos/cluster/pgbouncer.ts';
import { endLacking } from './end-lacking.ts';
import type { FailoverDatabase } from './failover-database.ts';
import type { FailoverFault } from './failover-fault.ts';
import { failoverFaults } from './faults.ts';
import { patroniFaults } from './patroni/faults.ts';
import { enterOwnNetwork } from './patroni/own-network.ts';
import { PatroniPostgres } from './patroni/patroni-postgres.ts';
import { ReplicatedPostgres } from './replicated-postgres.ts';

/** Three servers that the run promotes itself, or three nodes of Patroni. */
export const TOPOLOGIES = ['servers', 'patroni'] as const;

export interface Topology {
  readonly faults: readonly FailoverFault[];
  /** See `runChaos`. */
  readonly exerciseShare: number;
  readonly rests: number;
  readonly start: (folder: string) => Promise<FailoverDatabase>;
  /** After its start. */
  readonly database: () => FailoverDatabase;
}

export async function openTopology(
  kind: (typeof TOPOLOGIES)[number],
  options: { readonly isSynchronous: boolean },
): Promise<Topology> {
  if (kind === 'servers') {
    if (findPgbouncer() === null) endLacking('install the package pgbouncer');
    return topology(failoverFaults, {
      create: (place) => ReplicatedPostgres.create(place),
      exerciseShare: 1,
      // Three servers share the processors: at the usual pace these are saturated, and nothing recovers.
      rests: 3,
    });
  }
  await enterOwnNetwork();
  return topology(patroniFaults, {
    create: (place) => PatroniPostgres.create(place, options),
    // Most of the time is spent without a primary: Patroni waits before it promotes.
    exerciseShare: 0.1,
    // Three nodes need more than three servers. A pool that is saturated answers nobody in time.
    rests: 8,
  });
}

function topology<Database extends FailoverDatabase>(
  faultsOf: (database: () => Database) => readonly FailoverFault[],
  given: Pick<Topology, 'exerciseShare' | 'rests'> & {
    readonly create: (folder: string) => Promise<Database>;
  },
): Topology {
  let started: Database | null = null;
  const database = (): Database => {
    if (started === null) throw new Error('the database is not open yet');
    return started;
  };
  return {
    faults: faultsOf(database),
    exerciseShare: given.exerciseShare,
    rests: given.rests,
    database,
    start: async (folder) => (started = await given.create(folder)),
  };
}
