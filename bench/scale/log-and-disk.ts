import pg from 'pg';

import { openDatabases } from '../support/databases.ts';
import { type Experiment, measureChains, rounded, type Row } from './experiment.ts';

const KEYS = 200_000;
const MILLION = 1_000_000;

/** The bytes of a million steps on disk and in the replication stream, and the rate of pruning. */
export const logAndDisk: Experiment = {
  name: 'log-and-disk',
  what: 'bytes of a million steps of B, and rows deleted by pruning',
  async run({ seconds, progress }) {
    const databases = await openDatabases();
    try {
      const rows: Row[] = [];
      for (const inFlight of [16, 256]) {
        progress(`B/${inFlight}`);
        const database = await databases.create('postgres');
        const before = await readSizes(database.url);
        const measured = await measureChains(database, { inFlight, seconds });
        const after = await readSizes(database.url);
        const steps = after.steps;
        const perMillion = (table: string): number =>
          (((after.bytes.get(table) ?? 0) - (before.bytes.get(table) ?? 0)) / steps) * MILLION;
        const tables = [...after.bytes.keys()].filter((table) => perMillion(table) > 20 * MILLION);
        rows.push({
          what: `B/${inFlight}: log`,
          'MB a million steps': rounded(((measured.walBytes ?? 0) * MILLION) / 1e6),
          'MB/s at the measured rate': rounded(
            ((measured.walBytes ?? 0) * measured.perSecond) / 1e6,
            1,
          ),
          'rows /s': '–',
        });
        for (const table of tables.toSorted((a, b) => perMillion(b) - perMillion(a))) {
          rows.push({
            what: `B/${inFlight}: ${table} with its indexes`,
            'MB a million steps': rounded(perMillion(table) / 1e6),
            'MB/s at the measured rate': rounded(
              (perMillion(table) / MILLION / 1e6) * measured.perSecond,
              1,
            ),
            'rows /s': '–',
          });
        }
        await database.drop();
      }
      progress('pruning');
      const database = await databases.create('postgres');
      rows.push({
        what: `prune: ${KEYS} idempotency keys of starts that are a day old`,
        'MB a million steps': '–',
        'MB/s at the measured rate': '–',
        'rows /s': rounded(await measurePrune(database.url)),
      });
      await database.drop();
      return rows;
    } finally {
      await databases.close();
    }
  },
};

/** The size of every table in bytes, and the number of steps so far. */
async function readSizes(
  url: string,
): Promise<{ readonly bytes: ReadonlyMap<string, number>; readonly steps: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ readonly name: string; readonly bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const steps = await client.query<{ readonly steps: string }>(
    `select count(*) as steps from events where kind = 'NodeCompleted'`,
  );
  await client.end();
  return {
    bytes: new Map(rows.map(({ name, bytes }) => [name, Number(bytes)])),
    steps: Math.max(1, Number(steps.rows[0]?.steps)),
  };
}

async function measurePrune(url: string): Promise<number> {
  const { openStore } = await import('../../src/shared/store/opening/open.ts');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ readonly name: string; readonly type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_name = 'request_keys' and is_nullable = 'NO' and column_default is null
     order by ordinal_position`,
  );
  const values = rows.map(({ name, type }) => {
    if (name === 'created_at') return `now() - interval '25 hours'`;
    if (name === 'tenant_id') return `'default'`;
    if (type === 'uuid') return 'gen_random_uuid()';
    if (type === 'bytea') return `'\\x00'::bytea`;
    if (type === 'json' || type === 'jsonb') return `'{}'`;
    return type === 'text' ? `'key-' || i` : '0';
  });
  await client.query(
    `insert into request_keys (${rows.map(({ name }) => name).join(', ')})
     select ${values.join(', ')} from generate_series(1, ${KEYS}) i`,
  );
  await client.query('vacuum analyze request_keys');
  await client.end();
  const store = await openStore({
    database: { dialect: 'postgres', url, poolSize: 2, maxOverflow: 0 },
    applicationName: 'svc-bench',
  });
  const began = performance.now();
  const deleted = await store.prune();
  const seconds = (performance.now() - began) / 1_000;
  await store.close();
  return deleted / seconds;
}
