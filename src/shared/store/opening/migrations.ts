import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Dialect = 'postgres' | 'sqlite';

/** One file of `migrations/<dialect>/`. */
export interface Migration {
  readonly number: number;
  readonly title: string;
  readonly sql: string;
  /** Hex SHA-256 of the file with line ends normalised. */
  readonly checksum: string;
  /**
   * Programs whose last migration has this number or a later one work on the schema that this one
   * leaves: what lets an older program run, and start, beside a newer one. The file says so in its
   * first line, `-- works from: <number>`; without it, its own number.
   */
  readonly worksFrom: number;
}

/** One row of `schema_migrations`. */
export interface AppliedMigration {
  readonly number: number;
  readonly title: string;
  readonly checksum: string;
  /** See `Migration`; null: applied before this was kept. */
  readonly worksFrom: number | null;
}

/** The schema and this program do not fit together; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
const WORKS_FROM = /^-- works from: (\d+)\n/;

/** The migrations this program knows, in order; read once. */
export function readMigrations(dialect: Dialect): Promise<readonly Migration[]> {
  const known = read.get(dialect) ?? readFolder(dialect);
  read.set(dialect, known);
  return known;
}

const read = new Map<Dialect, Promise<readonly Migration[]>>();

/** Small files, read one after another: that takes less time than to wait for each. */
async function readFolder(dialect: Dialect): Promise<readonly Migration[]> {
  const folder = join(findMigrationsFolder(), dialect);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  const migrations = names.map((name) => readMigration(join(folder, name), name));
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1) {
      throw new SchemaError(
        `migrations/${dialect} has number ${migration.number} where ${index + 1} was expected`,
      );
    }
  });
  return migrations;
}

/**
 * The migrations left to apply. Throws if a newer program has migrated the database beyond the
 * versions that this one works on, or if an applied file has changed since: in both cases the
 * schema is unknown.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const current = latestNumber(applied);
  const latest = latestNumber(known);
  if (worksFrom(applied, latest) > latest) {
    throw new SchemaError(
      `the database schema has version ${current}, but this program knows only up to version ` +
        `${latest}, and cannot work on what came after it: run a program of the newer version, or restore a backup made before the upgrade`,
    );
  }
  const appliedByNumber = new Map(applied.map((row) => [row.number, row]));
  for (const migration of known) {
    const row = appliedByNumber.get(migration.number);
    if (row === undefined && migration.number < current) {
      throw new SchemaError(
        `migration ${migration.number} (${migration.title}) is missing in the database although ` +
          `version ${current} was applied: restore the rows of schema_migrations`,
      );
    }
    if (row !== undefined && row.checksum !== migration.checksum) {
      throw new SchemaError(
        `migration ${migration.number} (${migration.title}) was changed after it had been applied ` +
          'to this database: put the file back as released and add a new migration instead',
      );
    }
  }
  return known.filter((migration) => !appliedByNumber.has(migration.number));
}

/** The migration that a program must know in order to work on what was applied after its last one. */
function worksFrom(applied: readonly AppliedMigration[], latest: number): number {
  return applied
    .filter(({ number }) => number > latest)
    .reduce((needed, row) => Math.max(needed, row.worksFrom ?? row.number), 0);
}

export function latestNumber(rows: readonly { readonly number: number }[]): number {
  return rows.reduce((latest, row) => Math.max(latest, row.number), 0);
}

/** The nearest `migrations` folder above this file: the same in the source tree and in `dist`. */
export function findMigrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, 'migrations');
    if (existsSync(join(candidate, 'postgres'))) return candidate;
    const parent = dirname(folder);
    if (parent === folder) throw new SchemaError('the folder "migrations" is missing: reinstall');
    folder = parent;
  }
}

function readMigration(path: string, name: string): Migration {
  const match = FILE_NAME.exec(name);
  if (match === null) {
    throw new SchemaError(`${name} is no migration's name: expected <4 digits>_<title>.sql`);
  }
  const [, number = '', title = ''] = match;
  const sql = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  const [, from = number] = WORKS_FROM.exec(sql) ?? [];
  return { number: Number(number), title, sql, checksum, worksFrom: Number(from) };
}
