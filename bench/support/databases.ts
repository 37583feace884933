import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { runOnServer } from '../../test/support/database.ts';
import { startPostgresServer } from '../../test/support/servers/postgres-server.ts';
import type { ServerReading } from './measurement.ts';
import { openServerMeter } from './server-meter.ts';
import type { StatementUse } from './statement-use.ts';
import type { BenchAddress, Dialect } from './workload.ts';

export type { Dialect } from './workload.ts';

/** The databases of one benchmark run: durable, and empty at the start of each workload. */
export interface Databases {
  /** `empty`: without our schema, for peers that create their own. */
  create(dialect: Dialect | 'empty'): Promise<BenchDatabase>;
  readonly serverVersion: string;
  close(): Promise<void>;
}

export interface BenchDatabase extends BenchAddress {
  /** Reads what the server has used so far; null: the database has no server. */
  readonly readServer: (() => Promise<ServerReading>) | null;
  readonly readStatements: (() => Promise<StatementUse>) | null;
  drop(): Promise<void>;
}

/** fsync, full_page_writes and synchronous_commit keep their default, on. */
const SETTINGS = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_utility=on',
  'shared_buffers=512MB',
  // Checkpoints run at the start of each workload, and never within one.
  'max_wal_size=8GB',
  // A server that has run for a while reuses files of the log. Creating a file stops every commit
  // for up to 80 ms.
  'min_wal_size=4GB',
  'checkpoint_timeout=30min',
];

/**
 * `plans: true` also counts and times plans, which costs the server a little. `durable: false` is
 * for callers that count writes and do not measure their speed.
 */
export async function openDatabases({ plans = false, durable = true } = {}): Promise<Databases> {
  const settings = plans ? [...SETTINGS, 'pg_stat_statements.track_planning=on'] : SETTINGS;
  const server = await startPostgresServer({ durable, settings });
  await runOnServer(server.url, 'create extension pg_stat_statements');
  const { rows } = await runOnServer(server.url, 'show server_version');
  const meter = await openServerMeter(server.url);
  const addressOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  await runOnServer(server.url, 'create database bench_template');
  await migrateDatabase({ url: addressOf('bench_template') });
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const sqliteTemplate = join(folder, 'template.db');
  await migrateDatabase({ url: sqliteTemplate });
  let made = 0;

  async function createPostgres(template: string): Promise<BenchDatabase> {
    const name = `bench_${(made += 1)}`;
    await runOnServer(server.url, `create database ${name} template ${template}`);
    // Every workload begins right after a checkpoint.
    await runOnServer(server.url, 'checkpoint');
    return {
      dialect: 'postgres',
      url: addressOf(name),
      readServer: () => meter.read(name),
      readStatements: () => meter.readStatements(name),
      drop: async () => {
        await runOnServer(server.url, `drop database ${name} with (force)`);
      },
    };
  }

  async function createSqlite(): Promise<BenchDatabase> {
    const path = join(folder, `${(made += 1)}.db`);
    copyFileSync(sqliteTemplate, path);
    return {
      dialect: 'sqlite',
      url: path,
      readServer: null,
      readStatements: null,
      drop: async () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      },
    };
  }

  return {
    create: (dialect) =>
      dialect === 'sqlite'
        ? createSqlite()
        : createPostgres(dialect === 'empty' ? 'template0' : 'bench_template'),
    serverVersion: (rows[0] as { readonly server_version: string }).server_version,
    async close() {
      await meter.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
