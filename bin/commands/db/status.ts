import { existsSync } from 'node:fs';

import type { DatabaseLocation } from '../../../src/shared/config/database-url.ts';
import {
  readInstallation,
  type Installation,
} from '../../../src/shared/engine/doctor/read-installation.ts';
import type { ServerFacts, TableFacts } from '../../../src/shared/store/installation.ts';
import { migrationStatus } from '../../../src/shared/store/opening/migrate.ts';
import { CliError } from '../../cli/exit-code.ts';
import { withDatabaseErrorsExplained } from '../../../src/runtime/database/explain-database-error.ts';
import { nameDatabase } from '../../../src/runtime/database/name-database.ts';
import { printFields, printJson, printLine, type OutputFormat } from '../../cli/output.ts';
import { withOpenStore } from '../../cli/with-store.ts';
import { printTable } from '../../cli/print-table.ts';
import { tellBytes } from '../../cli/tell-bytes.ts';
import type { ConfigOptions } from '../../boot/read-config.ts';
import { takeDatabase } from '../../boot/take-database.ts';

type StatusOptions = ConfigOptions & { readonly output: OutputFormat };

/** Exit code 1 while migrations are outstanding, so that a deployment can wait for none to be. */
export async function showStatus(options: StatusOptions): Promise<void> {
  const { database } = takeDatabase(options);
  const { applied, pending, reading, ...versions } = await withDatabaseErrorsExplained(
    database,
    read(database),
  );
  const name = nameDatabase(database);
  if (options.output === 'json') {
    printJson({ database: name, ...versions, applied, pending, ...shape(reading) });
  } else {
    const titles = pending.map(({ number, title }) => `${number} ${title}`);
    printFields({
      database: name,
      ...versions,
      pending: titles.join('\n') || 'none',
      ...(reading && describe(reading.server)),
    });
    if (reading !== null && reading.tables.length > 0) printTables(reading.tables);
  }
  if (pending.length > 0) {
    throw new CliError(
      `${pending.length} migration${pending.length === 1 ? ' is' : 's are'} not applied: run "svc db migrate"`,
    );
  }
}

async function read(database: DatabaseLocation) {
  const status = await migrationStatus(database);
  return { ...status, reading: await readDatabase(database) };
}

/** Null: there is no database yet. */
async function readDatabase(database: DatabaseLocation): Promise<Installation | null> {
  if (database.dialect === 'sqlite' && !existsSync(database.path)) return null;
  return withOpenStore({ database, applicationName: 'svc-db-status' }, (store) =>
    readInstallation({ store }),
  );
}

function describe(server: ServerFacts): Readonly<Record<string, string>> {
  if (server.dialect === 'sqlite') {
    return {
      server: `SQLite ${server.version}`,
      file: tellBytes(server.fileBytes),
      'write-ahead log': tellBytes(server.walBytes),
      'disk free': tellBytes(server.freeBytes),
    };
  }
  const [oldest] = server.holders;
  return {
    server: `PostgreSQL ${server.version}`,
    connections: `${server.sessions} of ${server.settings.get('max_connections') ?? '?'}`,
    'oldest transaction':
      oldest === undefined
        ? 'none'
        : `${oldest.name}${oldest.sinceMs === null ? '' : `, for ${Math.round(oldest.sinceMs / 1_000)} s`}, ${oldest.ageXids} transactions old`,
    'lock waits': String(server.lockWaits.length),
  };
}

function printTables(tables: readonly TableFacts[]): void {
  printLine('');
  printTable({
    head: ['TABLE', 'ROWS', 'DEAD', 'SIZE', 'INDEXES', 'VACUUMED'],
    rows: tables.map(({ table, rows, deadRows, bytes, indexBytes, vacuumedAt }) => [
      table,
      rows,
      deadRows,
      bytes === null ? null : tellBytes(bytes),
      indexBytes === null ? null : tellBytes(indexBytes),
      vacuumedAt,
    ]),
  });
}

function shape(reading: Installation | null): object {
  if (reading === null) return { server: null, tables: [] };
  const { server, tables } = reading;
  return {
    server:
      server.dialect === 'sqlite'
        ? {
            dialect: 'sqlite',
            version: server.version,
            file_bytes: server.fileBytes,
            wal_bytes: server.walBytes,
            free_bytes: server.freeBytes,
          }
        : {
            dialect: 'postgres',
            version: server.version,
            connections: server.sessions,
            max_connections: Number(server.settings.get('max_connections') ?? 0),
            oldest_transactions: server.holders.map((holder) => ({
              kind: holder.kind,
              name: holder.name,
              since_ms: holder.sinceMs,
              age_xids: holder.ageXids,
            })),
            lock_waits: server.lockWaits.length,
          },
    tables: tables.map((table) => ({
      table: table.table,
      rows: table.rows,
      dead_rows: table.deadRows,
      bytes: table.bytes,
      index_bytes: table.indexBytes,
      vacuumed_at: table.vacuumedAt,
    })),
  };
}
