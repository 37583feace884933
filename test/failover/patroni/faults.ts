import { SERVER, type Blow, type Fault, type Scene } from '../../chaos/faults/fault.ts';
import type { PatroniNode } from './patroni-node.ts';
import type { PatroniPostgres } from './patroni-postgres.ts';

type Given = () => PatroniPostgres;

/** More than Patroni's `ttl`: until then a lost primary has no successor. */
const SUCCESSOR_MS_MAX = 45_000;
const FIND_MS_MAX = 10_000;

/** Faults of the nodes. One at a time, from a whole cluster to a whole cluster. */
export function patroniFaults(database: Given): readonly Fault[] {
  const faults: readonly Fault[] = [
    {
      name: 'node-lost',
      fire: async () => {
        const old = await database().findPrimary(FIND_MS_MAX);
        await old.crash();
        return untilSuccessor(database(), { old, repair: () => database().start(old) });
      },
    },
  ];
  return faults.map((fault) => ({ ...fault, fire: (scene) => alone(scene, fault) }));
}

async function alone(scene: Scene, fault: Fault): Promise<Blow | null> {
  return scene.isStruck(SERVER) ? null : fault.fire(scene);
}

/** The fault lasts until another node is the primary. */
function untilSuccessor(
  database: PatroniPostgres,
  { old, repair }: { readonly old: PatroniNode; readonly repair: () => void },
): Blow {
  const found = database.findPrimary(SUCCESSOR_MS_MAX, old);
  return {
    target: SERVER,
    lastsMs: SUCCESSOR_MS_MAX,
    over: found.catch(() => undefined),
    heal: async () => {
      repair();
      const next = await found;
      await database.waitUntilWhole();
      return `${old.name} → ${next.name}`;
    },
  };
}
