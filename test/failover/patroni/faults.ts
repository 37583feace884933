import { setTimeout as delay } from 'node:timers/promises';

import { findFaketime } from '../../chaos/cluster/clocks.ts';
import { SERVER, type Blow, type Scene } from '../../chaos/faults/fault.ts';
import { runOnServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { diskSlow } from '../disk-slow.ts';
import type { FailoverFault } from '../failover-fault.ts';
import { etcdFaults } from './etcd-faults.ts';
import { cut, LINKS, mend, type Link } from './network.ts';
import type { PatroniNode } from './patroni-node.ts';
import type { PatroniPostgres } from './patroni-postgres.ts';
import { proxyFaults } from './proxy-faults.ts';

type Given = () => PatroniPostgres;

/** More than Patroni's `ttl`: until then a lost primary has no successor. */
const SUCCESSOR_MS_MAX = 45_000;
const FIND_MS_MAX = 10_000;
const SWITCH_MS_MAX = 30_000;
const CLIENTS = ['a', 'b'] as const;

/** Faults of the nodes. One at a time, from a whole cluster to a whole cluster. */
export function patroniFaults(database: Given): readonly FailoverFault[] {
  const nodeFaults = [
    postgresKilled(database),
    nodeLost(database),
    switchover(database),
    primaryPartitioned(database, { name: 'primary-partitioned', clientsStay: true }),
    primaryPartitioned(database, { name: 'primary-isolated', clientsStay: false }),
    primaryHung(database),
    primaryFrozen(database),
    diskFull(database),
    diskSlow(async () => {
      const { name, serverPids: pids } = await database().findPrimary(FIND_MS_MAX);
      return { name, pids };
    }),
    standbyLost(database),
    standbyIsolated(database),
    clockWrong(database, { name: 'clock-ahead', seconds: 60 }),
    clockWrong(database, { name: 'clock-behind', seconds: -60 }),
    ...etcdFaults(database),
    ...proxyFaults(database),
  ];
  return nodeFaults.map((fault) => ({
    ...fault,
    fire: async (scene: Scene) => (scene.isStruck(SERVER) ? null : fault.fire(scene)),
  }));
}

/** Patroni itself lives, and starts the server again. */
function postgresKilled(database: Given): FailoverFault {
  return {
    name: 'postgres-killed',
    fire: async () => {
      const primary = await database().findPrimary(FIND_MS_MAX);
      primary.signal('SIGKILL', 'first');
      // A primary that recovers in place loses nothing, and is never replaced.
      return untilWhole(database(), { lastsMs: 5_000, note: primary.name });
    },
  };
}

function nodeLost(database: Given): FailoverFault {
  return {
    name: 'node-lost',
    fire: async () => {
      const old = await database().findPrimary(FIND_MS_MAX);
      await old.crash();
      return untilReplaced(database(), { old, repair: () => database().start(old) });
    },
  };
}

function switchover(database: Given): FailoverFault {
  return {
    name: 'switchover',
    fire: async () => {
      const note = await switchTo(database(), await database().findStandby());
      return untilWhole(database(), { lastsMs: 0, note });
    },
  };
}

/**
 * The primary loses the other nodes, and thus etcd: it runs on until its Patroni gives up. Some of
 * the processes of the service still reach it, or none.
 */
function primaryPartitioned(
  database: Given,
  { name, clientsStay }: { readonly name: string; readonly clientsStay: boolean },
): FailoverFault {
  return {
    name,
    fire: async ({ dice }) => {
      const old = await database().findPrimary(FIND_MS_MAX);
      const [stays, goes] = dice.chance(0.5) ? CLIENTS : CLIENTS.toReversed();
      // With both, no client would look elsewhere before the old primary goes.
      const lost: readonly Link[] = clientsStay ? (['db', goes] as Link[]) : LINKS;
      cut(old.number, lost);
      const note = clientsStay ? `, clients over ${stays} stayed` : '';
      return untilReplaced(database(), { old, note, repair: () => mend(old.number) });
    },
  };
}

/** As on a disk that does not answer. Patroni replaces no server that hangs. */
function primaryHung(database: Given): FailoverFault {
  return {
    name: 'primary-hung',
    fire: async ({ dice }) => {
      const old = await database().findPrimary(FIND_MS_MAX);
      old.signal('SIGSTOP', 'postgres');
      const repair = (): void => old.signal('SIGCONT', 'postgres');
      return untilWhole(database(), {
        lastsMs: dice.between(2_000, 8_000),
        note: old.name,
        repair,
      });
    },
  };
}

/** As on a machine that is paused: afterwards it continues as the primary that it was. */
function primaryFrozen(database: Given): FailoverFault {
  return {
    name: 'primary-frozen',
    fire: async () => {
      const old = await database().findPrimary(FIND_MS_MAX);
      old.signal('SIGSTOP', 'node');
      return untilReplaced(database(), { old, repair: () => old.signal('SIGCONT', 'node') });
    },
  };
}

/** Writes of the primary fail, or it ends and cannot start again, and Patroni may replace it. */
function diskFull(database: Given): FailoverFault {
  return {
    name: 'disk-full',
    fire: async ({ dice }) => {
      const old = await database().findPrimary(FIND_MS_MAX);
      old.disk.fill();
      const repair = (): void => {
        old.disk.free();
        database().start(old);
      };
      return untilWhole(database(), {
        lastsMs: dice.between(8_000, 20_000),
        note: old.name,
        repair,
      });
    },
  };
}

function standbyLost(database: Given): FailoverFault {
  return {
    name: 'standby-lost',
    fire: async ({ dice }) => {
      const lost = await database().findStandby();
      await lost.crash();
      const repair = (): void => database().start(lost);
      return untilWhole(database(), {
        lastsMs: dice.between(1_000, 5_000),
        note: lost.name,
        repair,
      });
    },
  };
}

/** It confirms nothing, and its connections stay: the primary must notice that. */
function standbyIsolated(database: Given): FailoverFault {
  return {
    name: 'standby-isolated',
    fire: async ({ dice }) => {
      const lost = await database().findStandby();
      cut(lost.number, LINKS);
      const repair = (): void => mend(lost.number);
      return untilWhole(database(), {
        lastsMs: dice.between(8_000, 20_000),
        note: lost.name,
        repair,
      });
    },
  };
}

/** The clock of the database jumps when a node with a wrong clock becomes the primary, and later. */
function clockWrong(
  database: Given,
  { name, seconds }: { readonly name: string; readonly seconds: number },
): FailoverFault {
  return {
    name,
    lacks: () => (findFaketime() === null ? 'install the package faketime' : null),
    fire: async ({ dice }) => {
      const next = await database().findStandby();
      next.setClock(seconds);
      const switched = await switchTo(database(), next);
      const ahead = Math.round(await readAhead(next));
      if (ahead !== seconds) throw new Error(`${next.name} is ${ahead} s ahead`);
      const note = `${switched}, ${ahead} s ahead`;
      const repair = (): void => next.setClock(0);
      return untilWhole(database(), { lastsMs: dice.between(4_000, 12_000), note, repair });
    },
  };
}

async function readAhead(node: PatroniNode): Promise<number> {
  const { rows } = await runOnServer(
    node.url,
    'select extract(epoch from clock_timestamp())::float8 as seconds',
  );
  return (rows[0] as { readonly seconds: number }).seconds - Date.now() / 1_000;
}

async function switchTo(database: PatroniPostgres, next: PatroniNode): Promise<string> {
  const old = await database.findPrimary(FIND_MS_MAX);
  const switching = { leader: old.name, candidate: next.name };
  // Patroni refuses a switchover while it cannot write to etcd, and may have begun it.
  await eventually(
    async () => (await next.isPrimary()) || old.post('/switchover', switching, SWITCH_MS_MAX),
    { withinMs: FIND_MS_MAX },
  );
  return `${old.name} → ${next.name}`;
}

function untilWhole(
  database: PatroniPostgres,
  given: { readonly lastsMs: number; readonly note: string; readonly repair?: () => void },
): Blow {
  return {
    target: SERVER,
    lastsMs: given.lastsMs,
    heal: async () => {
      given.repair?.();
      await database.waitUntilWhole();
      return given.note;
    },
  };
}

/**
 * The fault lasts until another node is the primary. Patroni promotes nobody if the primary had no
 * synchronous standby when it struck: then the old primary must come back.
 */
function untilReplaced(
  database: PatroniPostgres,
  given: { readonly old: PatroniNode; readonly note?: string; readonly repair: () => void },
): Blow {
  const found = database.findPrimary(SUCCESSOR_MS_MAX, given.old);
  return {
    target: SERVER,
    lastsMs: SUCCESSOR_MS_MAX,
    // Some time more, in which clients may still meet both.
    over: found.then(() => delay(STAYS_MS)).catch(() => undefined),
    heal: async () => {
      const next = await found
        .catch(async (error: unknown) => {
          if (await database.hasSynchronousStandby()) throw error;
          return null;
        })
        .finally(given.repair);
      await database.waitUntilWhole();
      const { name } = given.old;
      if (next === null) return `${name} stayed: it had no synchronous standby`;
      return `${name} → ${next.name}${given.note ?? ''}`;
    },
  };
}

const STAYS_MS = 3_000;
