import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { startEmbeddingProvider } from '../support/servers/embedding-provider.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import type { Dialect } from '../support/database.ts';

/** A real process of the service, and the servers around it. */
export interface Target {
  readonly runtime: Runtime;
  readonly databaseUrl: string;
  readonly trap: { readonly port: number; readonly visits: () => number };
  close(): Promise<void>;
}

/** `databaseUrl`: a migrated database that no other process uses. */
export async function openTarget(databaseUrl: string): Promise<Target> {
  const provider = await startEmbeddingProvider();
  const trap = await startHttpServer((_, response) => response.end('{}'));
  const runtime = await startRuntime({
    databaseUrl,
    env: {
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SVC_MEMORY_EMBEDDING_BASE_URL: provider.url,
      SVC_LOG_LEVEL: 'error',
      // Leases must not lapse between two reads of the database.
      SVC_SCHEDULER_LEASE_SECONDS: '3600',
    },
  });
  return {
    runtime,
    databaseUrl,
    trap: { port: trap.port, visits: () => trap.requests.length },
    async close() {
      await runtime.end('SIGTERM');
      await Promise.all([provider.close(), trap.close()]);
    },
  };
}

/** A migrated database, with its own server on PostgreSQL. */
export async function openDatabase(
  dialect: Dialect,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (dialect === 'postgres') {
    const server = await startPostgresServer();
    await migrateDatabase({ url: server.url });
    return { url: server.url, close: () => server.stop() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-fuzz-'));
  const url = `sqlite:${join(folder, 'fuzz.db')}`;
  await migrateDatabase({ url });
  return { url, close: () => rm(folder, { recursive: true, force: true }) };
}
