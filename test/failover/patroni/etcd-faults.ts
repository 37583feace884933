import { SERVER } from '../../chaos/faults/fault.ts';
import type { FailoverFault } from '../failover-fault.ts';
import type { PatroniPostgres } from './patroni-postgres.ts';

/** Faults of etcd, which holds the leader key of Patroni. */
export function etcdFaults(database: () => PatroniPostgres): readonly FailoverFault[] {
  return [
    membersLost(database, { name: 'etcd-member-lost', count: 1, lastsMs: [3_000, 8_000] }),
    // Without a quorum the primary gives up, and nobody may replace it.
    membersLost(database, { name: 'etcd-quorum-lost', count: 2, lastsMs: [8_000, 15_000] }),
  ];
}

function membersLost(
  database: () => PatroniPostgres,
  {
    name,
    count,
    lastsMs,
  }: {
    readonly name: string;
    readonly count: number;
    readonly lastsMs: readonly [number, number];
  },
): FailoverFault {
  return {
    name,
    fire: async ({ dice }) => {
      const first = dice.between(0, database().nodes.length - 1);
      const lost = [...database().nodes, ...database().nodes].slice(first, first + count);
      await Promise.all(lost.map((node) => node.killEtcd()));
      return {
        target: SERVER,
        lastsMs: dice.between(...lastsMs),
        heal: async () => {
          for (const node of lost) database().start(node);
          await database().waitUntilWhole();
          return `of ${lost.map((node) => node.name).join(', ')}`;
        },
      };
    },
  };
}
