import { runOnServer } from '../../support/database.ts';
import type { Disk } from '../cluster/postgres.ts';
import { SERVER, type Fault, type Scene } from './fault.ts';

/** The database server: ended in every way, full, read-only, without a free connection. */

const SERVICE_SESSIONS = `backend_type = 'client backend' and usename = 'svc'`;

const terminateBackends: Fault = {
  name: 'postgres-terminate-backends',
  fire: async ({ cluster, dice, isStruck }) => {
    if (isStruck(SERVER)) return null;
    const share = dice.between(1, 10) / 10;
    // The seed decides, not the server's random().
    const { rows } = await runOnServer(
      cluster.postgres.superuserUrl,
      `select pid from pg_stat_activity where ${SERVICE_SESSIONS} order by pid`,
    );
    const doomed = rows
      .map((row) => (row as { readonly pid: number }).pid)
      .filter(() => dice.chance(share));
    await runOnServer(
      cluster.postgres.superuserUrl,
      `select pg_terminate_backend(pid) from unnest(array[${doomed.join()}]::int[]) as t (pid)`,
    );
    return {
      target: SERVER,
      lastsMs: 0,
      heal: async () => `${doomed.length} of ${rows.length} sessions`,
    };
  },
};

function restart(name: string, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', downMsMax: number): Fault {
  return {
    name,
    fire: async ({ cluster, dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      await cluster.postgres.end(signal);
      return {
        target: SERVER,
        lastsMs: dice.between(0, downMsMax),
        heal: () => cluster.postgres.start(),
      };
    },
  };
}

function fullDisk(disk: Disk): Fault {
  return {
    name: `postgres-${disk}-disk-full`,
    lacks: ({ postgres }) =>
      postgres.hasOwnDisks
        ? null
        : 'a small disk cannot be mounted here: run as root, with the right to mount tmpfs',
    fire: async ({ cluster, dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      cluster.postgres.fill(disk);
      return {
        target: SERVER,
        lastsMs: dice.between(3_000, 8_000),
        heal: async () => {
          cluster.postgres.free(disk);
          // The server may have stopped in the meantime.
          await cluster.postgres.start();
        },
      };
    },
  };
}

/** Acts like a demoted primary: sessions end, and new ones may only read. */
const readOnly: Fault = {
  name: 'postgres-read-only',
  fire: async ({ cluster, dice, isStruck }) => {
    if (isStruck(SERVER)) return null;
    const { superuserUrl } = cluster.postgres;
    const set = (value: string): Promise<unknown> =>
      runOnServer(superuserUrl, `alter role svc set default_transaction_read_only = ${value}`);
    const endSessions = (): Promise<unknown> =>
      runOnServer(
        superuserUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity where ${SERVICE_SESSIONS}`,
      );
    await set('on');
    await endSessions();
    return {
      target: SERVER,
      lastsMs: dice.between(2_000, 8_000),
      heal: async () => {
        await set('off');
        await endSessions();
      },
    };
  },
};

const fewConnections: Fault = {
  name: 'postgres-connections-taken',
  fire: async ({ cluster, dice, isStruck }) => {
    if (isStruck(SERVER)) return null;
    // Existing sessions would keep their slots. The service's sessions end and find no free one.
    await runOnServer(
      cluster.postgres.superuserUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where ${SERVICE_SESSIONS}`,
    );
    const leave = dice.between(0, 4);
    const giveBack = await cluster.postgres.takeConnections(leave);
    return {
      target: SERVER,
      lastsMs: dice.between(2_000, 8_000),
      heal: async () => {
        await giveBack();
        return `${leave} were left`;
      },
    };
  },
};

/** Another transaction locks a whole table of the service. */
const lockedTable: Fault = {
  name: 'postgres-table-locked',
  fire: async (scene) => lockTable(scene),
};

const LOCKED = ['executions', 'work_queue', 'leases', 'timers', 'runnable'];

async function lockTable({ cluster, dice, isStruck }: Scene): ReturnType<Fault['fire']> {
  if (isStruck(SERVER)) return null;
  const table = dice.pick(LOCKED);
  const lastsMs = dice.between(1_000, 5_000);
  const locked = runOnServer(
    cluster.postgres.superuserUrl,
    `begin; lock table ${table} in access exclusive mode; select pg_sleep(${lastsMs / 1_000}); rollback`,
  ).catch(() => undefined);
  return {
    target: SERVER,
    lastsMs,
    over: locked,
    heal: async () => {
      await locked;
      return table;
    },
  };
}

const DOWN_MS_MAX = 4_000;

export const SERVER_FAULTS: readonly Fault[] = [
  terminateBackends,
  restart('postgres-restart-fast', 'SIGINT', DOWN_MS_MAX),
  restart('postgres-restart-immediate', 'SIGQUIT', DOWN_MS_MAX),
  restart('postgres-kill', 'SIGKILL', DOWN_MS_MAX),
  fullDisk('data'),
  fullDisk('wal'),
  readOnly,
  fewConnections,
  lockedTable,
];
