import pg from 'pg';

import { openDatabases } from '../support/databases.ts';
import { type Experiment, measureChains, rounded, type Row } from './experiment.ts';

const IN_FLIGHT = 64;
const EVENTS_OF_EXECUTION = 20;
const PARTITIONS = 16;
/** Above this, partitions show nothing new and take long to fill. */
const PARTED_MILLIONS_MAX = 1;

/**
 * Whether a step costs more when the table already has millions of histories. It measures the depth
 * of the index of events, and workload B with a plain table and with a table that is partitioned by
 * a hash of the execution.
 */
export const growth: Experiment = {
  name: 'growth',
  what: `B/${IN_FLIGHT} with events in the table before`,
  async run({ seconds, large, progress }) {
    const rows: Row[] = [];
    const databases = await openDatabases();
    try {
      for (const millions of large ? [0, 1, 10] : [0, 1]) {
        for (const partitions of millions > PARTED_MILLIONS_MAX ? [0] : [0, PARTITIONS]) {
          progress(`${millions} million events, ${partitions || 'no'} partitions`);
          const database = await databases.create('postgres');
          await prepare(database.url, { millions, partitions });
          const measured = await measureChains(database, { inFlight: IN_FLIGHT, seconds });
          rows.push({
            'million events': millions,
            'partitions by hash': partitions,
            ...(await readIndex(database.url, partitions)),
            'steps /s': rounded(measured.perSecond),
            'database CPU µs a step': rounded(measured.databaseCpuMicros),
            'WAL bytes a step': rounded(measured.walBytes),
          });
          await database.drop();
        }
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

async function prepare(
  url: string,
  { millions, partitions }: { readonly millions: number; readonly partitions: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  if (partitions > 0) {
    await client.query('alter table events rename to events_whole');
    await client.query(
      `create table events (like events_whole including defaults including constraints,
         primary key (execution_id, sequence)) partition by hash (execution_id)`,
    );
    for (let part = 0; part < partitions; part += 1) {
      await client.query(
        `create table events_${part} partition of events
         for values with (modulus ${partitions}, remainder ${part})`,
      );
    }
  }
  if (millions > 0) {
    // Ids grow with time like the product's, so old executions sort before the new ones in the
    // index.
    await client.query(
      `insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
       select (lpad(to_hex(e), 12, '0') || '70008000' || lpad(to_hex(e), 12, '0'))::uuid, s,
         'NodeCompleted', 'step' || s, '{"output":{},"state_patch":{},"visit":0,"attempt":0}',
         'system:scheduler', timestamptz '2026-01-01' + e * interval '1 ms'
       from generate_series(1, ${(millions * 1_000_000) / EVENTS_OF_EXECUTION}) e,
         generate_series(1, ${EVENTS_OF_EXECUTION}) s`,
    );
  }
  await client.query('vacuum analyze events');
  await client.query('checkpoint');
  await client.end();
}

async function readIndex(url: string, partitions: number): Promise<Row> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create extension if not exists pageinspect');
  const index = partitions > 0 ? 'events_0_pkey' : 'events_pkey';
  const { rows } = await client.query<{ readonly levels: number; readonly mib: number }>(
    `select (select level + 1 from bt_metap($1)) as levels,
       (
         select round(sum(pg_total_relation_size(oid)) / 1048576)::int4
         from pg_class
         where relkind = 'r' and relname ~ '^events(_[0-9]+)?$'
       ) as mib`,
    [index],
  );
  await client.end();
  return { 'index levels': rows[0]?.levels ?? '–', MiB: rows[0]?.mib ?? '–' };
}
