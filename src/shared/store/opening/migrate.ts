import {
  latestNumber,
  pendingMigrations,
  readMigrations,
  SchemaError,
  type AppliedMigration,
  type Migration,
} from './migrations.ts';

export { SchemaError } from './migrations.ts';

/**
 * Migrates a database to the schema of this program. Migrations are plain SQL files, numbered from
 * 1 without gaps, each applied in a transaction of its own together with its row in
 * `schema_migrations`; so an interrupted run leaves a complete earlier version, and the next run
 * continues from there. Any number of processes may call this at once: one applies, the others wait
 * for it and find nothing left to do. An applied file never changes (its checksum is kept). Each
 * says which older programs work on what it leaves; all others refuse the database rather than
 * guess.
 */
export async function migrateDatabase(
  params: DatabaseAddress & {
    /** Called with one line for each migration applied, and each time one has to wait. */
    readonly log?: (line: string) => void;
    /** One line for all migrations, at the end: nobody waits long for those of an empty database. */
    readonly isBrief?: boolean;
  },
): Promise<{ readonly applied: number; readonly version: number }> {
  const target = resolveTarget(params);
  const known = await readMigrations(target.dialect);
  const { log = () => undefined, isBrief = false } = params;
  const onApplied = ({ number, title }: Migration) => {
    if (!isBrief) log(`applied migration ${number} (${title})`);
  };
  const applied = await applyPending(target, { known, onApplied, onWaiting: log });
  if (isBrief && applied > 0) log(`applied ${applied} migrations`);
  // With nothing to do the schema may be of a newer program.
  const version = latestNumber(applied === 0 ? await readApplied(target) : known);
  return { applied, version };
}

/** Reads only; a database that was never migrated has version 0. */
export async function migrationStatus(params: DatabaseAddress): Promise<{
  readonly current: number;
  readonly latest: number;
  readonly applied: readonly { readonly number: number; readonly title: string }[];
  readonly pending: readonly { readonly number: number; readonly title: string }[];
}> {
  const target = resolveTarget(params);
  const known = await readMigrations(target.dialect);
  const applied = await readApplied(target);
  const pending = pendingMigrations(known, applied);
  return {
    current: latestNumber(applied),
    latest: latestNumber(known),
    applied: applied.map(({ number, title }) => ({ number, title })),
    pending: pending.map(({ number, title }) => ({ number, title })),
  };
}

/**
 * For the start of a process: passes only with the schema this program was written for, or one of a
 * newer program that it works on.
 */
export async function checkSchema(
  params: DatabaseAddress & {
    readonly autoMigrate: boolean;
    readonly log?: (line: string) => void;
  },
): Promise<void> {
  const { current, latest, pending } = await migrationStatus(params);
  if (current > latest) {
    params.log?.(
      `the database schema has version ${current}, of a newer program; this one knows version ` +
        `${latest}, and works on it`,
    );
  }
  if (pending.length === 0) return;
  if (!params.autoMigrate) {
    throw new SchemaError(
      `the database schema has version ${current}, but this program needs version ${latest}: ` +
        'run "svc db migrate"',
    );
  }
  await migrateDatabase({ ...params, isBrief: current === 0 });
}

export type DatabaseTarget =
  | {
      readonly dialect: 'postgres';
      readonly url: string;
      readonly directUrl?: string | null;
      readonly passwordFile?: string | null;
    }
  | { readonly dialect: 'sqlite'; readonly path: string };

/** A parsed target, or a URL: `postgres://…`, `postgresql://…`, `sqlite:<path>`, `<path>`. */
export type DatabaseAddress = DatabaseTarget | { readonly url: string };

function resolveTarget(address: DatabaseAddress): DatabaseTarget {
  if ('dialect' in address) return address;
  const { url } = address;
  if (/^postgres(?:ql)?:\/\//.test(url)) return { dialect: 'postgres', url };
  return { dialect: 'sqlite', path: url.replace(/^sqlite:/, '') };
}

async function readApplied(target: DatabaseTarget): Promise<readonly AppliedMigration[]> {
  if (target.dialect === 'sqlite') return (await loadSqlite()).readAppliedSqlite(target.path);
  return (await loadPostgres()).readAppliedPostgres(directAddress(target));
}

async function applyPending(
  target: DatabaseTarget,
  given: {
    readonly known: readonly Migration[];
    readonly onApplied: (migration: Migration) => void;
    readonly onWaiting: (line: string) => void;
  },
): Promise<number> {
  if (target.dialect === 'sqlite') {
    return (await loadSqlite()).migrateSqlite({ path: target.path, ...given });
  }
  return (await loadPostgres()).migratePostgres({ ...directAddress(target), ...given });
}

/** Migrations take locks of the session, which a pooler in transaction mode does not keep. */
function directAddress(target: Extract<DatabaseTarget, { dialect: 'postgres' }>) {
  const { url, directUrl = null, passwordFile } = target;
  return { url: directUrl ?? url, passwordFile, isDirect: directUrl !== null };
}

/** Only the driver that is needed is ever loaded. */
const loadSqlite = () => import('../sqlite/connection/migrator.ts');
const loadPostgres = () => import('../postgres/connection/migrator.ts');
