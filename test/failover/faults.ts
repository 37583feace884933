import { setTimeout as delay } from 'node:timers/promises';

import { SERVER } from '../chaos/faults/fault.ts';
import type { DatabaseNode } from './database-node.ts';
import { diskSlow } from './disk-slow.ts';
import type { FailoverFault } from './failover-fault.ts';
import type { ReplicatedPostgres } from './replicated-postgres.ts';

/** Faults of a replicated database. One at a time: two would leave no standby to promote. */
export function failoverFaults(database: () => ReplicatedPostgres): readonly FailoverFault[] {
  return [
    primaryKilled(database),
    switchover(database),
    primaryPartitioned(database, { name: 'primary-partitioned', reachableFor: 0.5 }),
    primaryPartitioned(database, { name: 'primary-isolated', reachableFor: 0 }),
    diskSlow(async () => database().primary),
    standbyLost(database),
    poolerRestarted(database),
    frontMisled(database),
  ];
}

type Given = () => ReplicatedPostgres;

/** The time until a failover tool notices. */
const NOTICE_MS = [0, 1_500] as const;
/** The time until the old primary is back as a standby. */
const REBUILD_MS = [1_000, 4_000] as const;

function primaryKilled(database: Given): FailoverFault {
  return {
    name: 'primary-killed',
    fire: async ({ dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const old = database().primary;
      await old.end('SIGKILL');
      await delay(dice.between(...NOTICE_MS));
      const next = await database().promote();
      return {
        target: SERVER,
        lastsMs: dice.between(...REBUILD_MS),
        heal: () => rebuild(old, next),
      };
    },
  };
}

function switchover(database: Given): FailoverFault {
  return {
    name: 'switchover',
    fire: async ({ dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const old = database().primary;
      await old.end('SIGINT');
      const next = await database().promote();
      return {
        target: SERVER,
        lastsMs: dice.between(...REBUILD_MS),
        heal: async () => {
          await old.rejoin(next);
          await next.waitForStandby(old.name);
          return `${old.name} → ${next.name}`;
        },
      };
    },
  };
}

/**
 * The old primary continues to run, and a share of the lines still leads to it: its clients must
 * find out alone. Its standbys have left it, so it confirms no commit. All other lines are silent.
 */
function primaryPartitioned(
  database: Given,
  { name, reachableFor }: { readonly name: string; readonly reachableFor: number },
): FailoverFault {
  return {
    name,
    fire: async ({ cluster, dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const old = database().primary;
      const place = database().nodes.indexOf(old);
      const suffix = `→postgres${place === 0 ? '' : `-${place + 1}`}`;
      const lines = cluster.lines.filter((line) => line.name.endsWith(suffix));
      const silent = lines.filter(() => !dice.chance(reachableFor));
      for (const line of silent) line.fallSilent();
      await delay(dice.between(...NOTICE_MS));
      const next = await database().promote();
      return {
        target: SERVER,
        lastsMs: dice.between(5_000, 9_000),
        heal: async () => {
          await old.end('SIGQUIT');
          for (const line of silent) line.heal();
          return `${await rebuild(old, next)}, silent for ${silent.length} of ${lines.length}`;
        },
      };
    },
  };
}

function standbyLost(database: Given): FailoverFault {
  return {
    name: 'standby-lost',
    fire: async ({ dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const lost = dice.pick(database().standbys);
      await lost.end('SIGKILL');
      return {
        target: SERVER,
        lastsMs: dice.between(1_000, 5_000),
        heal: () => rebuild(lost, database().primary),
      };
    },
  };
}

const POOLER = 'pgbouncer';

function poolerRestarted(database: Given): FailoverFault {
  return {
    name: 'pooler-restarted',
    fire: async ({ dice, isStruck }) => {
      if (isStruck(POOLER)) return null;
      await database().pooler.stop();
      return {
        target: POOLER,
        lastsMs: dice.between(0, 2_000),
        heal: () => database().pooler.start(),
      };
    },
  };
}

/** A proxy or a name leads to a standby for a while. */
function frontMisled(database: Given): FailoverFault {
  return {
    name: 'front-misled',
    fire: async ({ dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const wrong = dice.pick(database().standbys);
      database().front.leadTo(wrong.port);
      return {
        target: SERVER,
        lastsMs: dice.between(1_000, 4_000),
        heal: async () => {
          database().front.leadTo(database().primary.port);
          return `to ${wrong.name}`;
        },
      };
    },
  };
}

async function rebuild(node: DatabaseNode, primary: DatabaseNode): Promise<string> {
  await node.follow(primary);
  await primary.waitForStandby(node.name);
  return `${node.name} follows ${primary.name}`;
}
