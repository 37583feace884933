import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export type Dialect = 'postgres' | 'sqlite';

export type TestDatabase = {
  readonly url: string;
  /** Removes the database, even with open connections. */
  drop(): Promise<void>;
};

/**
 * Creates a separate database with the current schema, copied from the template of the test run. A
 * test file usually needs one; drop it in `test.after.always`.
 */
export function createTestDatabase(dialect: Dialect = 'postgres'): Promise<TestDatabase> {
  return dialect === 'postgres'
    ? createPostgresDatabase(fromTestRun('TEST_TEMPLATE'))
    : createSqliteFile(fromTestRun('TEST_SQLITE_TEMPLATE'));
}

/** Creates a database without a schema, for the tests of the migrations. */
export function createEmptyDatabase(dialect: Dialect = 'postgres'): Promise<TestDatabase> {
  return dialect === 'postgres' ? createPostgresDatabase('template0') : createSqliteFile(null);
}

/** Copies a database in its current state; nobody may be connected to it. */
export function copyTestDatabase(url: string): Promise<TestDatabase> {
  if (url.startsWith('sqlite:')) return createSqliteFile(url.slice('sqlite:'.length));
  return createPostgresDatabase(new URL(url).pathname.slice(1));
}

/** Runs one statement on its own connection, outside any transaction. */
export async function runOnServer(serverUrl: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 });
  // A broken connection also rejects the query; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function createPostgresDatabase(template: string): Promise<TestDatabase> {
  const serverUrl = fromTestRun('TEST_POSTGRES_URL');
  // The run removes leftover databases with its prefix at its end.
  const name = `${fromTestRun('TEST_TEMPLATE')}_${randomBytes(6).toString('hex')}`;
  await runOnServer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await runOnServer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function createSqliteFile(template: string | null): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-sqlite-'));
  const file = join(folder, 'test.db');
  if (template !== null) await copyFile(template, file);
  return {
    url: `sqlite:${file}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

function fromTestRun(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') {
    throw new Error(
      `${variable} is not set: tests that need a database are started with "npm test", ` +
        'a single file with "npm test -- test/path/to/file.test.ts"',
    );
  }
  return value;
}
