import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';

import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { pollUntil } from '../support/poll-until.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { type RuntimeProcess, startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { type Call, callsTo, expectOk, register } from './large/templates.ts';
import { watchOthers } from './large/watch-others.ts';
import { watchTransactions } from './large/watch-transactions.ts';

const EXECUTIONS = 100_000;
const STARTED_AT_A_TIME = 1_000;
const QUIET_MS = 10_000;
const SWEPT_MS_MAX = 900_000;
const HELD = 'held';
const OTHERS = 'passes';

/** A workflow with many live executions is paused and resumed, while another tenant works. */
export const pauseOfWorkflow: Experiment = {
  name: 'pause-of-workflow',
  what: 'a pause that holds every live execution of a workflow, its resume, and the work of another tenant meanwhile',
  async run({ executions, progress }) {
    const count = executions ?? EXECUTIONS;
    const databases = await openDatabases();
    const database = await databases.create('postgres');
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    const runtime = await startRuntime({ database, role: 'all' });
    try {
      const call = callsTo(runtime.url);
      expectOk(await call('POST', '/tenants', { id: 'other', name: 'other' }));
      const other = callsTo(runtime.url, 'other');
      await register(other, OTHERS, { type: 'pass' });
      await register(call, HELD, { type: 'python_fn', module: 'bench', function: 'work' });
      await startAll(call, count, progress);
      const watched = { runtime, database, reader, other, count };
      const rows = [await watch('nothing', watched, () => pass(QUIET_MS))];
      for (const [what, state] of [
        ['pause', 'paused'],
        ['resume', null],
      ] as const) {
        progress(what);
        rows.push(await watch(what, watched, () => changePause(call, what, state)));
      }
      return rows;
    } finally {
      await runtime.stop();
      await reader.end();
      await databases.close();
    }
  },
};

async function startAll(
  call: Call,
  count: number,
  progress: (text: string) => void,
): Promise<void> {
  for (let started = 0; started < count; started += STARTED_AT_A_TIME) {
    const executions = Array.from({ length: Math.min(STARTED_AT_A_TIME, count - started) }, () => ({
      workflow_id: HELD,
      input: {},
    }));
    expectOk(await call('POST', '/executions/batch', { executions }));
    if (started % 20_000 === 0) progress(`${started} of ${count} started`);
  }
}

async function changePause(
  call: Call,
  what: 'pause' | 'resume',
  state: string | null,
): Promise<void> {
  expectOk(await call('POST', `/workflows/${HELD}/${what}`, {}));
  const isDone = async (): Promise<boolean> => {
    const { body } = await call('GET', `/workflows/${HELD}`);
    const shown = body['pause'] as { readonly state: string } | null;
    return (shown?.state ?? null) === state;
  };
  await pollUntil(isDone, { what: `${what} is done`, everyMs: 200, withinMs: SWEPT_MS_MAX });
}

interface Watched {
  readonly runtime: RuntimeProcess;
  readonly database: BenchDatabase;
  readonly reader: pg.Client;
  readonly other: Call;
  readonly count: number;
}

async function watch(what: string, watched: Watched, work: () => Promise<void>): Promise<Row> {
  const { runtime, database, reader, other, count } = watched;
  const readUse = async () => {
    const server = await database.readServer?.();
    return {
      cpuMicros: (cpuMicrosOf(runtime.pid) ?? 0) + (server?.cpuMicros ?? 0),
      statements: server?.statements ?? 0,
      walBytes: server?.walBytes ?? 0,
    };
  };
  const before = await readUse();
  const transactions = watchTransactions(reader);
  const others = watchOthers(async () => {
    expectOk(await other('POST', '/executions?wait=60s', { workflow_id: OTHERS, input: {} }));
  });
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  const felt = await others.end();
  const longestMs = await transactions.end();
  const after = await readUse();
  const isChange = what !== 'nothing';
  const each = (total: number, digits = 0) => (isChange ? rounded(total / count, digits) : '–');
  return {
    what,
    seconds: rounded(ms / 1_000, 1),
    'statements an execution': each(after.statements - before.statements, 3),
    'CPU µs an execution': each(after.cpuMicros - before.cpuMicros),
    'WAL bytes an execution': each(after.walBytes - before.walBytes),
    'longest transaction ms': rounded(longestMs),
    'others: p50 ms': rounded(felt.p50Ms),
    'others: p95 ms': rounded(felt.p95Ms),
    'others: longest ms': rounded(felt.maxMs),
  };
}
