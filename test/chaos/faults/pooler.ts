import { findPgbouncer, startPgbouncer, type PoolMode } from '../cluster/pgbouncer.ts';
import { pickLine, type Fault } from './fault.ts';

/**
 * A process reaches its database through a pooler for a while. Session pooling works as usual.
 * Transaction pooling does not, as the documentation says, but it must not corrupt anything.
 */
function behindPooler(mode: PoolMode, lastsMs: readonly [number, number]): Fault {
  return {
    name: `pooler-${mode}`,
    lacks: () =>
      findPgbouncer() === null ? 'pgbouncer is missing: install the package pgbouncer' : null,
    fire: async (scene) => {
      const { cluster, dice } = scene;
      const line = pickLine(scene, ({ protocol }) => protocol === 'postgres');
      if (line === null) return null;
      const { folder, postgres } = cluster;
      const pooler = await startPgbouncer({ folder, serverPort: postgres.port, mode });
      line.leadTo(pooler.port);
      return {
        target: line.name,
        lastsMs: dice.between(...lastsMs),
        heal: async () => {
          line.leadTo(postgres.port);
          await pooler.close();
        },
      };
    },
  };
}

export const POOLER_FAULTS: readonly Fault[] = [
  behindPooler('session', [5_000, 15_000]),
  behindPooler('transaction', [3_000, 8_000]),
];
