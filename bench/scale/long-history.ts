import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { pollUntil } from '../support/poll-until.ts';
import { API_KEY, type RuntimeProcess, startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { callsTo, expectOk, start } from './large/templates.ts';
import { type WatchedUse, watchUse } from './large/watch-use.ts';

const EVENTS = 100_000;
const MADE_MS_MAX = 600_000;
const KIB = 1024;

/** One execution with a hundred thousand events: opened, read at any point, taken out and brought in. */
export const longHistory: Experiment = {
  name: 'long-history',
  what: `an execution of ${EVENTS} events at one API process, each request in a process of its own`,
  async run({ progress }) {
    const databases = await openDatabases();
    try {
      const database = await databases.create('postgres');
      progress('running the loops');
      const { ended, live, failed } = await makeLongExecutions(database);
      const rows: Row[] = [];
      for (const { what, path } of requestsOf({ ended, live })) {
        progress(what);
        rows.push(await inFreshProcess(database, what, async (runtime) => get(runtime.url, path)));
      }
      progress('retry');
      const retry = (runtime: RuntimeProcess) =>
        post(runtime.url, `/executions/${failed}/retry`, '{}');
      rows.push(await inFreshProcess(database, 'retry of one that failed', retry));
      const exported = await readExport(database, ended);
      const other = await databases.create('postgres');
      progress('import');
      const send = (runtime: RuntimeProcess) => post(runtime.url, '/executions/import', exported);
      rows.push(await inFreshProcess(other, 'import', send));
      rows.push(await inFreshProcess(other, 'the same import again', send));
      return rows;
    } finally {
      await databases.close();
    }
  },
};

/** Two events a round, and one each at the beginning and at the end. */
async function makeLongExecutions(
  database: BenchDatabase,
): Promise<{ readonly ended: string; readonly live: string; readonly failed: string }> {
  const runtime = await startRuntime({ database, role: 'all' });
  try {
    const call = callsTo(runtime.url);
    const again = `state.n < ${(EVENTS - 2) / 2}`;
    const count = { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } };
    const ir = {
      workflow_id: 'counts',
      nodes: { count },
      start_node: 'count',
      edges: [{ from: 'count', to: 'count', condition: again }],
    };
    const waiting = {
      ...ir,
      workflow_id: 'counts-and-asks',
      nodes: { count, ask: { kind: { type: 'human_approval' } } },
      edges: [...ir.edges, { from: 'count', to: 'ask' }],
    };
    const failing = {
      ...ir,
      workflow_id: 'counts-and-fails',
      nodes: {
        count,
        fail: { kind: { type: 'pass', output: { n: { expr: '1 / (state.n * 0)' } } } },
      },
      edges: [...ir.edges, { from: 'count', to: 'fail' }],
    };
    for (const one of [ir, waiting, failing])
      expectOk(await call('POST', '/workflows', { ir: one }));
    const ended = await start(call, ir.workflow_id, { n: 0 });
    const live = await start(call, waiting.workflow_id, { n: 0 });
    const failed = await start(call, failing.workflow_id, { n: 0 });
    for (const [id, status] of [
      [ended, 'completed'],
      [live, 'paused'],
      [failed, 'failed'],
    ] as const) {
      await pollUntil(
        async () => (await call('GET', `/executions/${id}?view=head`)).body['status'] === status,
        { what: `${id} is ${status}`, everyMs: 500, withinMs: MADE_MS_MAX },
      );
    }
    return { ended, live, failed };
  } finally {
    await runtime.stop();
  }
}

function requestsOf({ ended, live }: { readonly ended: string; readonly live: string }) {
  const of = (id: string, rest: string) => `/executions/${id}${rest}`;
  return [
    { what: 'open', path: of(ended, '') },
    { what: 'open its head', path: of(ended, '?view=head') },
    { what: 'open one that waits', path: of(live, '') },
    { what: 'explain', path: of(ended, '/explain') },
    { what: 'explain one that waits', path: of(live, '/explain') },
    { what: 'events: first page', path: of(ended, '/events?limit=200') },
    {
      what: 'events: page in the middle',
      path: of(ended, `/events?limit=200&after=${EVENTS / 2}`),
    },
    { what: 'events: last page', path: of(ended, '/events?limit=200&order=desc') },
    { what: 'events: failures alone', path: of(ended, '/events?limit=200&types=NodeFailed') },
    { what: 'events: all', path: of(ended, '/events') },
    { what: 'state at the end', path: of(ended, '/state') },
    { what: 'state in the middle', path: of(ended, `/state?sequence=${EVENTS / 2}`) },
    { what: 'state: what has changed', path: of(ended, `/state/diff?from=${EVENTS / 2}`) },
    { what: 'state: who wrote what', path: of(ended, '/state/blame') },
    { what: 'timeline', path: of(ended, '/timeline') },
    { what: 'approvals', path: of(live, '/approvals') },
    { what: 'export', path: of(ended, '/export') },
  ];
}

async function inFreshProcess(
  database: BenchDatabase,
  what: string,
  ask: (runtime: RuntimeProcess) => Promise<{ readonly bytes: number }>,
): Promise<Row> {
  const runtime = await startRuntime({ database, role: 'api' });
  try {
    // Opens connections, as in a process that has served before.
    await get(runtime.url, '/executions?limit=1');
    return rowOf(what, await watchUse({ runtime, database }, () => ask(runtime)));
  } finally {
    await runtime.stop();
  }
}

function rowOf(what: string, use: WatchedUse<{ readonly bytes: number }>): Row {
  return {
    request: what,
    ms: rounded(use.ms),
    'answer KiB': rounded(use.result.bytes / KIB, 1),
    statements: use.statements,
    'API CPU ms': rounded(use.apiCpuMs),
    'database CPU ms': rounded(use.databaseCpuMs),
    'memory MiB': rounded(use.memoryMiB),
    'longest wait of others ms': rounded(use.othersMaxMs),
  };
}

const HEADERS = { authorization: `Bearer ${API_KEY}` };

/** Reads the answer without keeping it. */
async function get(url: string, path: string): Promise<{ readonly bytes: number }> {
  const answer = await fetch(url + path, { headers: HEADERS });
  if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length;
  return { bytes };
}

async function readExport(database: BenchDatabase, executionId: string): Promise<string> {
  const runtime = await startRuntime({ database, role: 'api' });
  try {
    const path = `/executions/${executionId}/export`;
    return await (await fetch(runtime.url + path, { headers: HEADERS })).text();
  } finally {
    await runtime.stop();
  }
}

async function post(url: string, path: string, body: string): Promise<{ readonly bytes: number }> {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}: ${text}`);
  return { bytes: text.length };
}
