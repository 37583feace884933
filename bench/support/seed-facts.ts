import Database from 'better-sqlite3';
import pg from 'pg';

import { encodeSketch } from '../../src/shared/domain/memory/sketch.ts';
import { encodeVector, type UnitVector } from '../../src/shared/domain/memory/vector.ts';
import type { BenchDatabase, Dialect } from './databases.ts';

const BATCH_ROWS = 500;

/**
 * Writes facts of the whole project directly to the tables, hundreds per statement. The API adds
 * facts one by one, each in its own commit, which would take far longer than the measurement.
 */
export async function seedFacts(params: {
  readonly dialect: Dialect;
  readonly database: Pick<BenchDatabase, 'url'>;
  readonly tenantId: string;
  readonly vectors: Iterable<UnitVector>;
}): Promise<void> {
  const { dialect, database, tenantId } = params;
  const sink = await (dialect === 'postgres' ? openPostgres : openSqlite)(database.url, tenantId);
  let batch: Row[] = [];
  let ordinal = 0;
  for (const vector of params.vectors) {
    ordinal += 1;
    batch.push({ ordinal, embedding: encodeVector(vector), sketch: encodeSketch(vector) });
    if (batch.length < BATCH_ROWS) continue;
    await sink.write(batch);
    batch = [];
  }
  await sink.write(batch);
  await sink.finish(ordinal);
}

interface Row {
  readonly ordinal: number;
  readonly embedding: Uint8Array;
  readonly sketch: Uint8Array;
}

interface Sink {
  write(rows: readonly Row[]): Promise<void>;
  finish(count: number): Promise<void>;
}

async function openPostgres(url: string, tenantId: string): Promise<Sink> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async write(rows) {
      await client.query(
        `insert into memory_facts (
           fact_id, tenant_id, ordinal, change_seq, content, metadata, embedding, sketch, created_at
         )
         select gen_random_uuid(), $1, r.ordinal, r.ordinal, 'fact ' || r.ordinal, '{}',
           r.embedding, r.sketch, clock_timestamp()
         from unnest($2::int8[], $3::bytea[], $4::bytea[]) as r (ordinal, embedding, sketch)`,
        [
          tenantId,
          rows.map(({ ordinal }) => ordinal),
          rows.map(({ embedding }) => embedding),
          rows.map(({ sketch }) => sketch),
        ],
      );
    },
    async finish(count) {
      await client.query(
        `insert into memory_usage (tenant_id, added, live, change_seq)
         values ($1, $2, $2, $2)`,
        [tenantId, count],
      );
      await client.query('vacuum analyze memory_facts');
      await client.end();
    },
  };
}

async function openSqlite(path: string, tenantId: string): Promise<Sink> {
  const database = new Database(path);
  const insert = database.prepare(
    `insert into memory_facts (
       fact_id, tenant_id, ordinal, change_seq, content, metadata, embedding, sketch, created_at
     )
     values (
       'id-' || :ordinal, :tenant_id, :ordinal, :ordinal, :content, '{}', :embedding,
       :sketch, :ordinal
     )`,
  );
  const writeAll = database.transaction((rows: readonly Row[]) => {
    for (const row of rows)
      insert.run({ ...row, tenant_id: tenantId, content: `fact ${row.ordinal}` });
  });
  return {
    write: async (rows) => writeAll(rows),
    async finish(count) {
      database
        .prepare(
          `insert into memory_usage (tenant_id, added, live, change_seq)
           values (:tenant_id, :count, :count, :count)`,
        )
        .run({ tenant_id: tenantId, count });
      database.close();
    },
  };
}
