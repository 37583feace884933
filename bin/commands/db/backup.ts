import type { DatabaseLocation } from '../../../src/shared/config/database-url.ts';
import { migrationStatus } from '../../../src/shared/store/opening/migrate.ts';
import { explainDatabaseError } from '../../../src/runtime/database/explain-database-error.ts';
import { usageError } from '../../cli/exit-code.ts';
import {
  printFields,
  printJson,
  printLine,
  printStreamed,
  type OutputFormat,
} from '../../cli/output.ts';
import type { ConfigOptions } from '../../boot/read-config.ts';
import { takeDatabase } from '../../boot/take-database.ts';
import type { MadeBackup } from './back-up-every.ts';

type BackupOptions = ConfigOptions & { readonly output: OutputFormat };

/** Copies the database file while the service writes on: once, or at an interval into a folder. */
export async function backUp(
  target: string,
  options: BackupOptions & { readonly every?: number; readonly keep?: number },
): Promise<void> {
  const { path } = sqliteOf(takeDatabase(options).database);
  const { output, every: everyMs, keep } = options;
  if (everyMs === undefined && keep !== undefined) throw usageError('--keep goes with --every');
  const { backupSqlite } = await import('../../../src/shared/store/sqlite/connection/backup.ts');
  const make = async (file: string): Promise<MadeBackup> => {
    const { bytes } = await explained(path, () => backupSqlite({ path, to: file }));
    const { current: version } = await migrationStatus({ dialect: 'sqlite', path: file });
    return { database: path, backup: file, bytes, version };
  };
  if (everyMs === undefined) return print({ ...(await make(target)) }, output);
  const { backUpEvery } = await import('./back-up-every.ts');
  await backUpEvery({
    path,
    folder: target,
    everyMs,
    keep: keep ?? KEPT,
    make,
    print: (made) => {
      if (output === 'json') printStreamed(made);
      else printLine(`${made.backup}: ${made.bytes} bytes${tellRemoved(made.removed)}`);
    },
  });
}

/** Backups that stay without `--keep`. */
const KEPT = 24;

function tellRemoved(files: readonly string[]): string {
  return files.length === 0 ? '' : `; removed ${files.join(', ')}`;
}

/** Replaces the database with a backup. No process may serve the database meanwhile. */
export async function restore(file: string, options: BackupOptions): Promise<void> {
  const { path } = sqliteOf(takeDatabase(options).database);
  const { restoreSqlite } = await import('../../../src/shared/store/sqlite/connection/backup.ts');
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const { keptAs } = await explained(path, () => restoreSqlite({ path, from: file, stamp }));
  const { current: version } = await migrationStatus({ dialect: 'sqlite', path });
  print({ database: path, backup: file, version, kept_as: keptAs }, options.output);
}

function sqliteOf(database: DatabaseLocation): { readonly path: string } {
  if (database.dialect === 'sqlite') return database;
  throw usageError(
    'this command is for SQLite files: back up PostgreSQL with pg_basebackup or pg_dump, ' +
      'see docs/operate/operations.md',
  );
}

async function explained<Result>(
  path: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainDatabaseError(error, { dialect: 'sqlite', path }).error;
  }
}

function print(fields: Readonly<Record<string, string | number | null>>, output: OutputFormat) {
  if (output === 'json') printJson(fields);
  else printFields(fields);
}
