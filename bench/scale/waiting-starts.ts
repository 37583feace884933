import { setTimeout as pass } from 'node:timers/promises';

import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { pollUntil } from '../support/poll-until.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { type RuntimeProcess, startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { type Call, callsTo, expectOk } from './large/templates.ts';

const EXECUTIONS = 100_000;
const STARTED_AT_A_TIME = 1_000;
/** The audit log of all starts is sealed first. */
const SEALED_MS_MAX = 300_000;
const REST_MS = 5_000;
const STATEMENTS_AT_REST = 5;
const WATCH_SECONDS = 30;
const WORKFLOW = 'one-at-a-time';

/** The cost of executions that wait for a place of one key, while nothing else happens. */
export const waitingStarts: Experiment = {
  name: 'waiting-starts',
  what: 'a scheduler with nothing to do, and with starts that wait for the place of one key',
  async run({ executions, progress }) {
    const count = executions ?? EXECUTIONS;
    const databases = await openDatabases();
    const runtimes: RuntimeProcess[] = [];
    try {
      const database = await databases.create('postgres');
      const open = async (role: 'api' | 'scheduler') => {
        const runtime = await startRuntime({ database, role });
        runtimes.push(runtime);
        return runtime;
      };
      const call = callsTo((await open('api')).url);
      const scheduler = await open('scheduler');
      await register(call);
      const rows = [await watch(0, { scheduler, database })];
      const last = await startAll(call, count, progress);
      progress('sealing the audit log');
      await pollUntil(() => isAtRest(database), {
        what: 'all is sealed',
        everyMs: 1_000,
        withinMs: SEALED_MS_MAX,
      });
      progress('all wait');
      rows.push(await watch(count - 1, { scheduler, database }));
      progress('explaining the last');
      const began = performance.now();
      const { body } = expectOk(await call('GET', `/executions/${last}/explain`));
      progress(`${rounded(performance.now() - began)} ms: ${JSON.stringify(body['blockers'])}`);
      return rows;
    } finally {
      for (const runtime of runtimes) await runtime.stop();
      await databases.close();
    }
  },
};

async function register(call: Call): Promise<void> {
  const hold = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };
  expectOk(
    await call('POST', '/workflows', {
      ir: {
        workflow_id: WORKFLOW,
        nodes: { hold },
        edges: [],
        concurrency: { key: 'input.customer', limit: 1 },
      },
    }),
  );
}

async function startAll(
  call: Call,
  count: number,
  progress: (text: string) => void,
): Promise<string> {
  let last = '';
  for (let started = 0; started < count; started += STARTED_AT_A_TIME) {
    const executions = Array.from({ length: Math.min(STARTED_AT_A_TIME, count - started) }, () => ({
      workflow_id: WORKFLOW,
      input: { customer: 'acme' },
    }));
    const { body } = expectOk(await call('POST', '/executions/batch', { executions }));
    const results = body['results'] as readonly { readonly execution_id: string }[];
    last = results.at(-1)?.execution_id ?? last;
    if (started % 20_000 === 0) progress(`${started} of ${count} started`);
  }
  return last;
}

/** Sealing takes up to ten statements a second, and all else is below two. */
async function isAtRest(database: BenchDatabase): Promise<boolean> {
  const read = async () => (await database.readServer?.())?.statements ?? 0;
  const before = await read();
  await pass(REST_MS);
  return (await read()) - before < (REST_MS / 1_000) * STATEMENTS_AT_REST;
}

async function watch(
  waiting: number,
  { scheduler, database }: { readonly scheduler: RuntimeProcess; readonly database: BenchDatabase },
): Promise<Row> {
  const read = async () => {
    const server = await database.readServer?.();
    return { ...server, schedulerMicros: cpuMicrosOf(scheduler.pid) ?? 0 };
  };
  const before = await read();
  await pass(WATCH_SECONDS * 1_000);
  const after = await read();
  const aSecond = (total: number, digits: number) => rounded(total / WATCH_SECONDS, digits);
  const percent = (micros: number) => rounded(micros / 1e4 / WATCH_SECONDS, 2);
  return {
    'waiting starts': waiting,
    'statements a second': aSecond((after.statements ?? 0) - (before.statements ?? 0), 2),
    'pages a second': aSecond((after.pages ?? 0) - (before.pages ?? 0), 0),
    'scheduler CPU %': percent(after.schedulerMicros - before.schedulerMicros),
    'database CPU %': percent((after.cpuMicros ?? 0) - (before.cpuMicros ?? 0)),
  };
}
