import Database from 'better-sqlite3';
import pg from 'pg';

import { openStore } from '../../src/shared/store/opening/open.ts';
import { openSqliteStore } from '../../src/shared/store/sqlite/open.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { createTestDatabase, runOnServer, type Dialect } from './database.ts';

export interface TestStore {
  readonly store: Store;
  readonly url: string;
  /** Every row of every table as text: equal contents prove that nothing was written. */
  readonly contents: () => Promise<Readonly<Record<string, readonly string[]>>>;
  /** Simulates the passage of time for the rows of one table: moves their times into the past. */
  readonly age: (params: {
    readonly table: string;
    readonly columns: readonly string[];
    readonly byMs: number;
  }) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A store on a new migrated database. `clock` is for SQLite only. */
export async function openTestStore(
  dialect: Dialect,
  options: { readonly clock?: () => number } = {},
): Promise<TestStore> {
  const database = await createTestDatabase(dialect);
  const store = await openFor({ dialect, url: database.url, ...options });
  const tables = dialect === 'sqlite' ? readSqlite(database.url) : readPostgres(database.url);
  return {
    store,
    url: database.url,
    contents: tables.contents,
    age: tables.age,
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
}

/** Makes a change that the service never would, without the store. */
export function changeTable(url: string): (sql: string) => Promise<void> {
  return async (sql) => {
    if (url.startsWith('postgres')) return void (await runOnServer(url, sql));
    const database = new Database(sqlitePath(url), { timeout: 5_000 });
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
}

/** The same for a protected table, as a user who may disable the protection. */
export async function tamperWith(url: string, table: string, sql: string): Promise<void> {
  const change = changeTable(url);
  if (!url.startsWith('postgres')) {
    for (const verb of ['update', 'delete'])
      await change(`drop trigger if exists ${table}_refuse_${verb}`);
    return change(sql);
  }
  await change(
    `alter table ${table} disable trigger all;
     ${sql};
     alter table ${table} enable always trigger refuse_change;
     alter table ${table} enable always trigger refuse_truncate`,
  );
}

/** Every row of every table of a database, like `TestStore.contents`. */
export function readTables(url: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = url.startsWith('sqlite:') ? readSqlite(url) : readPostgres(url);
  return tables.contents();
}

export function sqlitePath(url: string): string {
  return url.replace(/^sqlite:/, '');
}

function openFor(params: {
  readonly dialect: Dialect;
  readonly url: string;
  readonly clock?: () => number;
}): Promise<Store> {
  const { dialect, url, clock } = params;
  if (dialect === 'sqlite' && clock !== undefined) {
    return openSqliteStore({ path: sqlitePath(url), clock });
  }
  return openStore({
    database:
      dialect === 'sqlite'
        ? { dialect, path: sqlitePath(url) }
        : { dialect, url, poolSize: 5, maxOverflow: 5 },
    applicationName: 'svc-test',
  });
}

type Tables = Pick<TestStore, 'contents' | 'age'>;

function readSqlite(url: string): Tables {
  const withDatabase = <Result>(use: (database: Database.Database) => Result): Result => {
    const database = new Database(sqlitePath(url), { timeout: 5_000 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  return {
    contents: async () =>
      withDatabase((database) => {
        const names = database
          .prepare<[], string>(`select name from sqlite_schema where type = 'table' order by name`)
          .pluck()
          .all();
        return Object.fromEntries(
          names.map((name) => {
            const rows = database.prepare(`select * from ${name}`).raw().all();
            return [name, rows.map((row) => JSON.stringify(row)).toSorted()];
          }),
        );
      }),
    age: async ({ table, columns, byMs }) =>
      withDatabase((database) => {
        const changes = columns.map((column) => `${column} = ${column} - ${byMs}`);
        database.exec(`update ${table} set ${changes.join(', ')}`);
      }),
  };
}

function readPostgres(url: string): Tables {
  const withClient = async <Result>(use: (client: pg.Client) => Promise<Result>) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  };
  return {
    contents: () =>
      withClient(async (client) => {
        const { rows: tables } = await client.query<{ readonly name: string }>(
          `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
        );
        const contents: Record<string, readonly string[]> = {};
        for (const { name } of tables) {
          const { rows } = await client.query<{ readonly row: string }>(
            `select t::text as row from ${name} as t`,
          );
          contents[name] = rows.map(({ row }) => row).toSorted();
        }
        return contents;
      }),
    age: ({ table, columns, byMs }) =>
      withClient(async (client) => {
        const changes = columns.map(
          (column) => `${column} = ${column} - interval '${byMs} milliseconds'`,
        );
        await client.query(`update ${table} set ${changes.join(', ')}`);
        // A lease is looked at no later than it ends.
        if (table === 'work_leases') await client.query('update leases set look_at = expires_at');
      }),
  };
}
