import pg from 'pg';

import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { fillExecutions, fillSeals } from './large/fill-executions.ts';
import { measureRequests } from './large/measure-requests.ts';
import { readCast, requestsOf } from './large/requests.ts';
import { callsTo, makeTemplates } from './large/templates.ts';

const SIZES = { usual: [100_000, 1_000_000], large: [10_000_000] };
/** Histories of all executions are kept up to this size, and of one in ten beyond it. */
const ALL_EVENTS_MAX = 1_000_000;
const REQUESTS = 40;
const P95_MS_MAX = 50;

/** Lists, single executions and the audit log of a large tenant, over HTTP, one request at a time. */
export const largeHistory: Experiment = {
  name: 'large-history',
  what: `requests among millions of executions; gate: p95 under ${P95_MS_MAX} ms and no table is scanned`,
  async run({ large, executions, progress }) {
    const sizes = executions === null ? SIZES[large ? 'large' : 'usual'] : [executions];
    // Requests write nothing, so only the fill is faster.
    const databases = await openDatabases({ durable: false });
    try {
      const rows: Row[] = [];
      for (const size of sizes) {
        const database = await databases.create('postgres');
        rows.push(...(await measureSize(database, size, progress)));
        await database.drop();
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

async function measureSize(
  database: BenchDatabase,
  executions: number,
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await fill(database, client, executions, progress);
    const runtime = await startRuntime({ database, role: 'api' });
    try {
      const call = callsTo(runtime.url);
      const answered = await measureRequests({
        call,
        reader: client,
        asked: requestsOf(await readCast(client, call)),
        times: REQUESTS,
        readUse: async () => {
          const server = await database.readServer?.();
          const cpuMicros = (cpuMicrosOf(runtime.pid) ?? 0) + (server?.cpuMicros ?? 0);
          return { cpuMicros, pages: server?.pages ?? 0 };
        },
      });
      return answered.map(({ what, p50Ms, p95Ms, cpuMs, rowsRead, pages, walked }) => ({
        executions,
        request: what,
        'p50 ms': rounded(p50Ms, 1),
        'p95 ms': rounded(p95Ms, 1),
        'CPU ms': rounded(cpuMs, 1),
        'rows read': rounded(rowsRead),
        'pages read': rounded(pages),
        'tables scanned': walked.join(' ') || 'none',
        gate: p95Ms < P95_MS_MAX && walked.length === 0 ? 'met' : 'not met',
      }));
    } finally {
      await runtime.stop();
    }
  } finally {
    await client.end();
  }
}

async function fill(
  database: BenchDatabase,
  client: pg.Client,
  executions: number,
  progress: (text: string) => void,
): Promise<void> {
  const runtime = await startRuntime({ database, role: 'all' });
  const templates = await makeTemplates(callsTo(runtime.url));
  await runtime.stop();
  const eventsOfOneIn = executions > ALL_EVENTS_MAX ? 10 : 1;
  await fillExecutions(client, { executions, eventsOfOneIn }, templates, progress);
  await fillSeals(client);
}
