import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';

import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import type { Measurement } from '../support/measurement.ts';
import { type Experiment, measureChains, rounded, type Row } from './experiment.ts';

const IN_FLIGHT = 256;
const STEPS = { usual: 200_000, large: 1_000_000 };
const SECONDS_MIN = 20;
/**
 * The first database of a server is vacuumed later than the next ones, which costs its last steps a
 * sixth of their rate. So each of the two has its turn before and after the other.
 */
const RUNS = ['of the server', 'of the migrations', 'of the server', 'of the migrations'] as const;
/** Backends report what they have done with the first statement after a second. */
const REPORT_MS = 1_500;

/** Tables whose rows live as long as a step, with settings of their own and with the server's. */
export const autovacuum: Experiment = {
  name: 'autovacuum',
  what: `B/${IN_FLIGHT} until many steps are done, with the settings of the migrations and with the server's`,
  async run({ seconds, large, progress }) {
    const steps = STEPS[large ? 'large' : 'usual'];
    const databases = await openDatabases();
    try {
      const rows: Row[] = [];
      for (const settings of RUNS) {
        progress(settings);
        const database = await databases.create('postgres');
        rows.push(
          ...(await measureSettings(database, {
            settings,
            steps,
            seconds: Math.max(seconds, SECONDS_MIN),
          })),
        );
        await database.drop();
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

async function measureSettings(
  database: BenchDatabase,
  given: { readonly settings: string; readonly steps: number; readonly seconds: number },
): Promise<readonly Row[]> {
  const { settings, steps, seconds } = given;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const tables = await listHotTables(client);
    if (settings === 'of the server') await resetSettings(client, tables);
    const parts: {
      readonly measured: Measurement;
      readonly pages: number;
      readonly steps: number;
    }[] = [];
    let done = 0;
    while (done < steps) {
      const before = await database.readServer?.();
      const measured = await measureChains(database, { inFlight: IN_FLIGHT, seconds });
      const now = await countSteps(client);
      const pages = ((await database.readServer?.())?.pages ?? 0) - (before?.pages ?? 0);
      parts.push({ measured, pages, steps: now - done });
      done = now;
    }
    await pass(REPORT_MS);
    const hot = await readHotTables(client, tables);
    const rowOf = (what: string, part: (typeof parts)[number] | undefined): Row => ({
      settings,
      part: what,
      'steps in all': done,
      'steps /s': rounded(part?.measured.perSecond ?? null),
      'database CPU µs a step': rounded(part?.measured.databaseCpuMicros ?? null),
      'pages read a step': rounded((part?.pages ?? 0) / (part?.steps ?? 1), 1),
      'dead rows at the end': hot.dead,
      'hot tables MiB at the end': rounded(hot.mib, 1),
      'vacuums so far': hot.vacuums,
    });
    return [rowOf('first', parts[0]), rowOf('last', parts.at(-1))];
  } finally {
    await client.end();
  }
}

/** Those for which the migrations set when they are vacuumed. */
async function listHotTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(
    `select c.relname as name
     from pg_class c
     where c.relkind = 'r'
       and c.reloptions::text ~ 'autovacuum_vacuum_threshold=1000[,}]'
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function resetSettings(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await client.query(
      `alter table ${table} reset (
         autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
         autovacuum_analyze_scale_factor, autovacuum_analyze_threshold,
         autovacuum_vacuum_cost_delay
       )`,
    );
  }
}

async function countSteps(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ readonly steps: number }>(
    `select count(*)::float8 as steps from events where kind = 'NodeCompleted'`,
  );
  return rows[0]?.steps ?? 0;
}

async function readHotTables(
  client: pg.Client,
  tables: readonly string[],
): Promise<{ readonly dead: number; readonly mib: number; readonly vacuums: number }> {
  const { rows } = await client.query<{
    readonly dead: number;
    readonly mib: number;
    readonly vacuums: number;
  }>(
    `select sum(s.n_dead_tup)::float8 as dead, sum(s.autovacuum_count)::float8 as vacuums,
       (sum(pg_total_relation_size(s.relid)) / 1048576)::float8 as mib
     from pg_stat_user_tables s
     where s.relname = any($1)`,
    [tables],
  );
  return rows[0] ?? { dead: 0, mib: 0, vacuums: 0 };
}
