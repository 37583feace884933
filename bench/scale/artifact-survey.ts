import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';

import { collectArtifacts } from '../../src/shared/engine/retention/collect-artifacts.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { fillExecutions, fillSeals } from './large/fill-executions.ts';
import { callsTo, expectOk, makeTemplates } from './large/templates.ts';
import { watchTransactions } from './large/watch-transactions.ts';

const EXECUTIONS = 250_000;
const UNUSED_DAYS = 30;
const DAY_MS = 86_400_000;

/** Retention reads the whole history for references once: the first run after the first artifact. */
export const artifactSurvey: Experiment = {
  name: 'artifact-survey',
  what: 'the first survey of a history for references to artifacts, and the next one',
  async run({ executions, progress }) {
    const databases = await openDatabases();
    const database = await databases.create('postgres');
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    const store = await openStore({
      database: { dialect: 'postgres', url: database.url, poolSize: 1, maxOverflow: 0 },
      applicationName: 'bench',
    });
    try {
      await fill(database, reader, executions ?? EXECUTIONS, progress);
      const survey = () =>
        collectArtifacts(
          { stores: store, now: () => performance.now(), rest: (ms) => pass(ms) },
          {
            tenantId: null,
            olderThanMs: null,
            defaults: { completed: UNUSED_DAYS, failed: UNUSED_DAYS, cancelled: UNUSED_DAYS },
            actorId: 'system:scheduler',
            unusedMs: UNUSED_DAYS * DAY_MS,
            isOver: () => false,
          },
        );
      const rows: Row[] = [];
      for (const what of ['first', 'next']) {
        progress(`${what} survey`);
        rows.push(await watchSurvey(what, { database, reader, survey }));
      }
      return rows;
    } finally {
      await store.close();
      await reader.end();
      await databases.close();
    }
  },
};

async function fill(
  database: BenchDatabase,
  reader: pg.Client,
  executions: number,
  progress: (text: string) => void,
): Promise<void> {
  const runtime = await startRuntime({ database, role: 'all' });
  const call = callsTo(runtime.url);
  const templates = await makeTemplates(call);
  expectOk(await call('POST', '/artifacts', { content: 'that nobody refers to' }));
  await runtime.stop();
  await fillExecutions(reader, { executions, eventsOfOneIn: 1 }, templates, progress);
  await fillSeals(reader);
}

async function watchSurvey(
  what: string,
  given: {
    readonly database: BenchDatabase;
    readonly reader: pg.Client;
    readonly survey: () => Promise<unknown>;
  },
): Promise<Row> {
  const { database, reader, survey } = given;
  const unread = await readUnread(reader);
  const before = await database.readServer?.();
  const cpuBefore = cpuMicrosOf('self') ?? 0;
  const transactions = watchTransactions(reader);
  const began = performance.now();
  await survey();
  const seconds = (performance.now() - began) / 1_000;
  const longestMs = await transactions.end();
  const after = await database.readServer?.();
  const databaseMicros = (after?.cpuMicros ?? 0) - (before?.cpuMicros ?? 0);
  return {
    survey: what,
    windows: unread.windows,
    events: unread.events,
    seconds: rounded(seconds, 1),
    statements: (after?.statements ?? 0) - (before?.statements ?? 0),
    'database CPU s': rounded(databaseMicros / 1e6, 1),
    'database cores': rounded(databaseMicros / 1e6 / seconds, 2),
    'process CPU s': rounded(((cpuMicrosOf('self') ?? 0) - cpuBefore) / 1e6, 1),
    'longest transaction ms': rounded(longestMs),
  };
}

async function readUnread(
  reader: pg.Client,
): Promise<{ readonly windows: number; readonly events: number }> {
  const { rows } = await reader.query<{ readonly windows: number; readonly events: number }>(
    `select count(distinct w.window_number)::float8 as windows,
       coalesce(sum(s.item_count), 0)::float8 as events
     from audit_windows w
     left join audit_seals s on s.window_number = w.window_number
     where w.window_number > (select a.window_number from artifact_survey a)`,
  );
  return rows[0] ?? { windows: 0, events: 0 };
}
