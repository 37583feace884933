import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';

import { openDatabases } from '../support/databases.ts';
import { cpuMicrosOf, pssMiB } from '../support/process-use.ts';
import { startRuntime, type RuntimeProcess } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';

const NOTIFICATIONS = 1_000;
const IDLE_SECONDS = 10;
const QUIET_AFTER_SECONDS = 12;

/** The cost of each further process to the database: connections, memory, listeners, statements. */
export const connections: Experiment = {
  name: 'connections',
  what: 'idle processes, and listeners that hear every notification',
  async run({ progress }) {
    const databases = await openDatabases();
    try {
      const rows: Row[] = [];
      for (const role of ['api', 'scheduler'] as const) {
        for (const count of [1, 4]) {
          progress(`${count} ${role}`);
          rows.push(await measureProcesses(databases, role, count));
        }
      }
      for (const listeners of [1, 16, 64, 128]) {
        progress(`${listeners} listeners`);
        rows.push(await measureListeners(databases, listeners));
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

type Opened = Awaited<ReturnType<typeof openDatabases>>;

async function measureProcesses(
  databases: Opened,
  role: 'api' | 'scheduler',
  count: number,
): Promise<Row> {
  const database = await databases.create('postgres');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const runtimes: RuntimeProcess[] = [];
  try {
    for (let one = 0; one < count; one += 1) runtimes.push(await startRuntime({ database, role }));
    await rest(QUIET_AFTER_SECONDS * 1_000);
    const before = await database.readServer?.();
    await rest(IDLE_SECONDS * 1_000);
    const after = await database.readServer?.();
    const { rows } = await client.query<{ readonly pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    const memory = rows.reduce((sum, { pid }) => sum + (pssMiB(pid) ?? 0), 0);
    return {
      what: `${count} idle ${role}`,
      connections: rows.length,
      'their memory, MiB': rounded(memory, 1),
      'statements /s': rounded(
        ((after?.statements ?? 0) - (before?.statements ?? 0)) / IDLE_SECONDS,
        2,
      ),
      'database CPU µs a notification': '–',
    };
  } finally {
    await Promise.all(runtimes.map((runtime) => runtime.stop()));
    await client.end();
    await database.drop();
  }
}

/** A notification of any topic wakes every listener, and each listener is a backend that works. */
async function measureListeners(databases: Opened, count: number): Promise<Row> {
  const database = await databases.create('empty');
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('listen bench');
      return client;
    }),
  );
  const [sender] = clients;
  if (sender === undefined) throw new Error('nobody listens');
  const pids = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<{ readonly pid: number }>(
        'select pg_backend_pid() as pid',
      );
      return rows[0]?.pid ?? 0;
    }),
  );
  const cpu = (): number => pids.reduce((sum, pid) => sum + (cpuMicrosOf(pid) ?? 0), 0);
  const before = cpu();
  for (let sent = 0; sent < NOTIFICATIONS; sent += 1) {
    await sender.query(`select pg_notify('bench', $1)`, [String(sent)]);
  }
  // Waits until every listener has received the last notifications.
  await Promise.all(clients.map((client) => client.query('select 1')));
  const used = cpu() - before;
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
  return {
    what: `${count} listeners`,
    connections: count,
    'their memory, MiB': '–',
    'statements /s': '–',
    'database CPU µs a notification': rounded(used / NOTIFICATIONS),
  };
}
