import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';

import { SEALING_BUDGET } from '../../src/shared/engine/audit/sealing-pace.ts';
import { openDatabases } from '../support/databases.ts';
import { cpuMicrosOf } from '../support/process-use.ts';
import { startRuntime } from '../support/runtime-process.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { fillExecutions } from './large/fill-executions.ts';
import { callsTo, makeTemplates } from './large/templates.ts';

const EXECUTIONS = 250_000;
const SETTLE_MS = 5_000;
const WATCH_SECONDS = 30;
const CORES_MAX = SEALING_BUDGET.coreShare;
/** The loop's own, and those of a scheduler that is idle. */
const STATEMENTS_MAX = SEALING_BUDGET.roundTripsPerSecond + 2;
/** Fewer may be too young to be sealed. */
const WINDOW_ITEMS_MAX = 5_000;

/** One scheduler that seals what a bulk load has left, and what that takes from everybody else. */
export const sealing: Experiment = {
  name: 'sealing',
  what: `sealing catches up on about a million entries; gate: at most ${CORES_MAX} of a core, and the statements of the budget`,
  async run({ executions, progress }) {
    const databases = await openDatabases();
    const database = await databases.create('postgres');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const first = await startRuntime({ database, role: 'all' });
      const templates = await makeTemplates(callsTo(first.url));
      await first.stop();
      const size = { executions: executions ?? EXECUTIONS, eventsOfOneIn: 1 };
      await fillExecutions(client, size, templates, progress);
      const runtime = await startRuntime({ database, role: 'scheduler' });
      try {
        await pause(SETTLE_MS);
        const read = async () => ({
          at: performance.now(),
          items: await countSealed(client),
          server: await database.readServer?.(),
          cpu: cpuMicrosOf(runtime.pid) ?? 0,
        });
        const before = await read();
        await pause(WATCH_SECONDS * 1_000);
        return [rowOf(before, await read(), await countEntries(client))];
      } finally {
        await runtime.stop();
      }
    } finally {
      await client.end();
      await databases.close();
    }
  },
};

interface Reading {
  readonly at: number;
  readonly items: number;
  readonly server: { readonly cpuMicros: number | null; readonly statements: number } | undefined;
  readonly cpu: number;
}

function rowOf(before: Reading, after: Reading, entries: number): Row {
  // Idle time would count as a small share of a core.
  const hasEnded = entries - after.items < WINDOW_ITEMS_MAX;
  const seconds = (after.at - before.at) / 1_000;
  const database = (after.server?.cpuMicros ?? 0) - (before.server?.cpuMicros ?? 0);
  const scheduler = after.cpu - before.cpu;
  const statements = (after.server?.statements ?? 0) - (before.server?.statements ?? 0);
  const cores = (scheduler + database) / 1e6 / seconds;
  const isWithin = cores <= CORES_MAX && statements / seconds <= STATEMENTS_MAX;
  return {
    'entries sealed /s': rounded((after.items - before.items) / seconds),
    'statements /s': rounded(statements / seconds, 1),
    'scheduler cores': rounded(scheduler / 1e6 / seconds, 2),
    'database cores': rounded(database / 1e6 / seconds, 2),
    'entries left': Math.max(0, entries - after.items),
    'CPU µs an entry': rounded((scheduler + database) / Math.max(1, after.items - before.items), 1),
    gate: hasEnded ? 'no figure: it has ended' : isWithin ? 'met' : 'not met',
  };
}

async function countEntries(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly entries: number }>(
    'select sum(x.last_sequence)::float8 as entries from executions x',
  );
  return rows[0]?.entries ?? 0;
}

async function countSealed(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly items: number }>(
    'select coalesce(sum(s.item_count), 0)::float8 as items from audit_seals s',
  );
  return rows[0]?.items ?? 0;
}
