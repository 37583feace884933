import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateDatabase } from '../../src/shared/store/migrate.ts';
import { startPostgresServer } from '../../test/support/postgres-server.ts';
import { runOnServer } from '../../test/support/database.ts';

export type Dialect = 'sqlite' | 'postgres';

/** The databases of one benchmark run: migrated, durable, empty at the start of each workload. */
export interface Databases {
  create(dialect: Dialect): Promise<BenchDatabase>;
  close(): Promise<void>;
}

export interface BenchDatabase {
  readonly url: string;
  /** Statements that the database was sent, its own books aside; null where it cannot be told. */
  statements(): Promise<number | null>;
  drop(): Promise<void>;
}

export async function openDatabases(): Promise<Databases> {
  const server = await startPostgresServer({
    durable: true,
    settings: [
      'shared_preload_libraries=pg_stat_statements',
      'pg_stat_statements.track_utility=on',
      'shared_buffers=256MB',
    ],
  });
  await runOnServer(server.url, 'create extension pg_stat_statements');
  let made = 0;

  async function createPostgres(): Promise<BenchDatabase> {
    const name = `bench_${(made += 1)}`;
    await runOnServer(server.url, `create database ${name}`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await migrateDatabase({ url: url.href });
    const counted = `
      select coalesce(sum(calls), 0)::int as calls
      from pg_stat_statements
      join pg_database on pg_database.oid = dbid
      where datname = '${name}'`;
    return {
      url: url.href,
      statements: async () => {
        const { rows } = await runOnServer(server.url, counted);
        return (rows[0] as { readonly calls: number }).calls;
      },
      drop: async () => {
        await runOnServer(server.url, `drop database ${name} with (force)`);
      },
    };
  }

  async function createSqlite(): Promise<BenchDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const url = join(folder, 'bench.db');
    await migrateDatabase({ url });
    return {
      url,
      statements: async () => null,
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }

  return {
    create: (dialect) => (dialect === 'postgres' ? createPostgres() : createSqlite()),
    close: () => server.stop(),
  };
}
