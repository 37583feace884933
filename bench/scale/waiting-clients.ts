import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';

import { openDatabases } from '../support/databases.ts';
import { cpuMicrosOf, rssMiB } from '../support/process-use.ts';
import { startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { callsTo, register, start } from './large/templates.ts';

const STREAMS = 10_000;
const POLLS = 5_000;
const RSS_MIB_MAX = 400;
const EXECUTIONS = 100;
const SETTLE_MS = 5_000;
const WATCH_SECONDS = 10;
const SETTINGS = { SVC_API_STREAMS_PER_TOKEN: '20000' };
/** One process holds as many sockets as the limit of open files lets it. */
const HOLDER = new URL('./large/hold-waits.ts', import.meta.url);

/** Clients that wait at one API process: what they hold of its memory, and what they cost while idle. */
export const waitingClients: Experiment = {
  name: 'waiting-clients',
  what: `event streams and long polls that wait at one API process; gate: under ${RSS_MIB_MAX} MiB`,
  async run({ progress }) {
    const databases = await openDatabases();
    const rows: Row[] = [];
    try {
      for (const [streams, polls] of [
        [0, 0],
        [STREAMS, POLLS],
      ] as const) {
        progress(`${streams} streams and ${polls} polls`);
        rows.push(await measureWaits(databases, streams, polls));
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

async function measureWaits(
  databases: Awaited<ReturnType<typeof openDatabases>>,
  streams: number,
  polls: number,
): Promise<Row> {
  const database = await databases.create('postgres');
  const runtime = await startRuntime({ database, role: 'api', settings: SETTINGS });
  const holder = fork(HOLDER);
  try {
    const call = callsTo(runtime.url);
    await register(call, 'asks', { type: 'human_approval' });
    const executionIds: string[] = [];
    for (let one = 0; one < EXECUTIONS; one += 1) executionIds.push(await start(call, 'asks'));
    holder.send({ url: runtime.url, streams, polls, executionIds });
    const [{ answered }] = (await once(holder, 'message')) as [{ readonly answered: number }];
    await rest(SETTLE_MS);
    const before = cpuMicrosOf(runtime.pid) ?? 0;
    const server = await database.readServer?.();
    await rest(WATCH_SECONDS * 1_000);
    const after = await database.readServer?.();
    const memory = rssMiB(runtime.pid) ?? 0;
    return {
      streams,
      'long polls': polls,
      'answered as expected': answered,
      'RSS MiB': rounded(memory),
      'API CPU %': rounded(((cpuMicrosOf(runtime.pid) ?? 0) - before) / 1e4 / WATCH_SECONDS, 1),
      'statements /s': rounded(
        ((after?.statements ?? 0) - (server?.statements ?? 0)) / WATCH_SECONDS,
        1,
      ),
      gate: memory < RSS_MIB_MAX && answered === streams + polls ? 'met' : 'not met',
    };
  } finally {
    holder.kill();
    await runtime.stop();
    await database.drop();
  }
}
