import pg from 'pg';
import { setTimeout as pass } from 'node:timers/promises';

import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { pollUntil } from '../support/poll-until.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { type RuntimeProcess, startRuntime } from '../support/runtime-process.ts';
import { quantile } from '../support/statistics.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { type Call, callsTo, expectOk, start } from './large/templates.ts';

const EXECUTIONS = 100_000;
const STARTED_AT_A_TIME = 1_000;
const SEALED_MS_MAX = 600_000;
/** The longest time between two looks of a quiet process that seals. */
const SEALING_LOOK_MS = 75_000;
/** Loops at rest look once a minute, so a shorter time counts them unevenly. */
const WATCH_SECONDS = 180;
const HAND_OVERS = 20;
const WORKFLOW = 'one-at-a-time';
const CUSTOMER = { customer: 'acme' };
/** The waits may add so much to a scheduler that has nothing to do. */
const MORE_STATEMENTS_MAX = 0.5;
const MORE_CPU_PERCENT_MAX = 0.5;
const HAND_OVER_MS_MAX = 250;
const HAND_OVER_PAGES_MAX = 2_000;

/** The cost of executions that wait for a place of one key, while nothing else happens. */
export const waitingStarts: Experiment = {
  name: 'waiting-starts',
  what: `starts that wait for the place of one key; gate: at rest they add at most ${MORE_STATEMENTS_MAX} statements a second and ${MORE_CPU_PERCENT_MAX} % of a core of the scheduler, and the next begins within ${HAND_OVER_MS_MAX} ms and ${HAND_OVER_PAGES_MAX} pages`,
  async run({ executions, progress }) {
    const count = executions ?? EXECUTIONS;
    // The gates count statements, and a hand-over waits for a few writes alone.
    const databases = await openDatabases({ durable: false });
    const runtimes: RuntimeProcess[] = [];
    const database = await databases.create('postgres');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const open = async (role: 'api' | 'scheduler') => {
        const runtime = await startRuntime({ database, role });
        runtimes.push(runtime);
        return runtime;
      };
      const call = callsTo((await open('api')).url);
      const scheduler = await open('scheduler');
      const watched = { call, scheduler, database, client };
      await register(call);
      await start(call, WORKFLOW, CUSTOMER);
      progress('nobody waits');
      const none = await watch(watched);
      const last = await startAll(call, count, progress);
      progress('all wait: sealing the audit log');
      const all = await watch(watched);
      progress(
        `${rounded(none.statements, 2)} and ${rounded(all.statements, 2)} statements a second`,
      );
      const handOver = await handOverPlaces(watched);
      progress(`the next begins after ${rounded(handOver.p50, 1)} ms`);
      const explainMs = await timeOf(() => call('GET', `/executions/${last}/explain`));
      const isAsQuiet =
        all.statements <= none.statements + MORE_STATEMENTS_MAX &&
        all.schedulerCpu <= none.schedulerCpu + MORE_CPU_PERCENT_MAX;
      const isSoon = handOver.p50 < HAND_OVER_MS_MAX && handOver.pages < HAND_OVER_PAGES_MAX;
      const rows = [
        rowOf(0, none, { p50: null, pages: null, explainMs: null, gate: '–' }),
        rowOf(count, all, {
          ...handOver,
          explainMs,
          gate: isAsQuiet && isSoon ? 'met' : 'not met',
        }),
      ];
      // They are not lost if a busy machine stops the server too late.
      progress(JSON.stringify(rows));
      return rows;
    } finally {
      await client.end();
      for (const runtime of runtimes) await runtime.stop();
      await databases.close();
    }
  },
};

interface Watched {
  readonly call: Call;
  readonly scheduler: RuntimeProcess;
  readonly database: BenchDatabase;
  readonly client: pg.Client;
}

/** Per second; processor time as a percentage of a core. */
interface AtRest {
  readonly statements: number;
  readonly pages: number;
  readonly schedulerCpu: number;
  readonly databaseCpu: number;
}

function rowOf(
  waiting: number,
  { statements, pages, schedulerCpu, databaseCpu }: AtRest,
  of: {
    readonly p50: number | null;
    readonly pages: number | null;
    readonly explainMs: number | null;
    readonly gate: string;
  },
): Row {
  return {
    'waiting starts': waiting,
    'statements a second': rounded(statements, 2),
    'pages a second': rounded(pages),
    'scheduler CPU %': rounded(schedulerCpu, 2),
    'database CPU %': rounded(databaseCpu, 2),
    'next begins after ms': rounded(of.p50, 1),
    'pages for that': rounded(of.pages),
    'explain of the last ms': rounded(of.explainMs),
    gate: of.gate,
  };
}

async function register(call: Call): Promise<void> {
  const hold = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };
  const concurrency = { key: 'input.customer', limit: 1 };
  const ir = { workflow_id: WORKFLOW, nodes: { hold }, edges: [], concurrency };
  expectOk(await call('POST', '/workflows', { ir }));
}

/** Starts so many more, and returns the id of the last. */
async function startAll(
  call: Call,
  count: number,
  progress: (text: string) => void,
): Promise<string> {
  let last = '';
  for (let started = 0; started < count; started += STARTED_AT_A_TIME) {
    const size = Math.min(STARTED_AT_A_TIME, count - started);
    const one = { workflow_id: WORKFLOW, input: CUSTOMER };
    const executions = Array.from({ length: size }, () => one);
    const { body } = expectOk(await call('POST', '/executions/batch', { executions }));
    const results = body['results'] as readonly { readonly execution_id: string }[];
    last = results.at(-1)?.execution_id ?? last;
    if (started % 20_000 === 0) progress(`${started} of ${count} started`);
  }
  return last;
}

/** Watches once the audit log of all that has happened is sealed. */
async function watch({ scheduler, database }: Watched): Promise<AtRest> {
  await untilSealed(scheduler, Date.now());
  const read = async () => ({
    server: await database.readServer?.(),
    schedulerMicros: cpuMicrosOf(scheduler.pid) ?? 0,
  });
  const before = await read();
  await pass(WATCH_SECONDS * 1_000);
  const after = await read();
  const grown = (of: 'statements' | 'pages' | 'cpuMicros') =>
    ((after.server?.[of] ?? 0) - (before.server?.[of] ?? 0)) / WATCH_SECONDS;
  return {
    statements: grown('statements'),
    pages: grown('pages'),
    databaseCpu: grown('cpuMicros') / 1e4,
    schedulerCpu: (after.schedulerMicros - before.schedulerMicros) / 1e4 / WATCH_SECONDS,
  };
}

/** The metric says how far the sealed part was behind at the last look. */
async function untilSealed(scheduler: RuntimeProcess, instant: number): Promise<void> {
  const isSealed = async () => {
    const text = await (await fetch(`${scheduler.metricsUrl}/metrics`)).text();
    const [, seconds] = /^svc_audit_unsealed_seconds (\S+)$/m.exec(text) ?? [];
    if (seconds === undefined) return false;
    return Date.now() - SEALING_LOOK_MS - Number(seconds) * 1_000 > instant;
  };
  await pollUntil(isSealed, { what: 'all is sealed', everyMs: 1_000, withinMs: SEALED_MS_MAX });
}

/** Ends the one that has the place, again and again; by the clock of the database, and in pages of it. */
async function handOverPlaces({ call, database, client }: Watched) {
  const delays: number[] = [];
  const pages = async () => (await database.readServer?.())?.pages ?? 0;
  const first = await readHolder(client);
  if (first === null) throw new Error('nobody has the place');
  let holder = first;
  const before = await pages();
  for (let count = 0; count < HAND_OVERS; count += 1) {
    const ended = holder;
    const body = { correlation_key: 'go', payload: {} };
    expectOk(await call('POST', `/executions/${ended.id}/external-event`, body));
    const hasNext = async () => {
      holder = (await readHolder(client)) ?? ended;
      return holder.id !== ended.id;
    };
    await pollUntil(hasNext, { what: 'the next has the place', everyMs: 50, withinMs: 30_000 });
    const { body: head } = expectOk(await call('GET', `/executions/${ended.id}?view=head`));
    delays.push(holder.takenAt - Date.parse(String(head['completed_at'])));
  }
  const sorted = delays.toSorted((one, other) => one - other);
  return { p50: quantile(sorted, 0.5), pages: ((await pages()) - before) / HAND_OVERS };
}

interface Holder {
  readonly id: string;
  readonly takenAt: number;
}

/** Null: the place is free at this moment. */
async function readHolder(client: pg.Client): Promise<Holder | null> {
  const { rows } = await client.query<{ readonly id: string; readonly takenAt: Date }>(
    `select 'exec_' || replace(p.execution_id::text, '-', '') as id, p.taken_at as "takenAt"
     from flow_places p`,
  );
  const [row] = rows;
  return row === undefined ? null : { id: row.id, takenAt: row.takenAt.getTime() };
}

async function timeOf(act: () => Promise<Parameters<typeof expectOk>[0]>): Promise<number> {
  const began = performance.now();
  expectOk(await act());
  return performance.now() - began;
}
