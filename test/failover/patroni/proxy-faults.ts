import { SERVER } from '../../chaos/faults/fault.ts';
import type { FailoverFault } from '../failover-fault.ts';
import type { PatroniPostgres } from './patroni-postgres.ts';

/** Faults between the service and the nodes; they strike the process that has no other way. */
export function proxyFaults(database: () => PatroniPostgres): readonly FailoverFault[] {
  return [
    {
      name: 'haproxy-restarted',
      fire: async ({ dice }) => {
        await database().front.stop();
        return {
          target: SERVER,
          lastsMs: dice.between(0, 2_000),
          heal: () => database().front.start('primary'),
        };
      },
    },
    {
      name: 'haproxy-misled',
      fire: async ({ dice }) => {
        await database().front.stop();
        await database().front.start('replica');
        return {
          target: SERVER,
          lastsMs: dice.between(1_000, 4_000),
          heal: async () => {
            await database().front.stop();
            await database().front.start('primary');
          },
        };
      },
    },
    {
      name: 'pooler-restarted',
      fire: async ({ dice }) => {
        await database().pooler.stop();
        return {
          target: SERVER,
          lastsMs: dice.between(0, 2_000),
          heal: () => database().pooler.start(),
        };
      },
    },
  ];
}
