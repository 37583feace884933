import { statSync } from 'node:fs';
import { relative } from 'node:path';

import type { Config } from '../../src/shared/config/config.ts';
import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import { parseDatabaseUrl } from '../../src/shared/config/database-url.ts';
import { CONFIG_KEYS } from '../../src/shared/config/keys.ts';
import type { ConfigMode } from '../../src/shared/config/load.ts';
import { findIdleParameters } from '../../src/shared/config/postgres-hosts.ts';
import { nameDatabase } from '../../src/runtime/database/name-database.ts';
import { printNote } from '../cli/output.ts';
import { readConfig, type ConfigOptions, type ReadConfig } from './read-config.ts';

/** The configuration of a command that works on a database, which it names on stderr. */
export function takeDatabase(options: ConfigOptions): ReadConfig {
  const read = readConfig(options, 'serve');
  noteDatabase(read, 'serve');
  return read;
}

/**
 * Says on stderr which database is taken and why: `svc dev` has another default than all other
 * commands, as the contract asks for both files.
 */
export function noteDatabase({ config, database, origins }: ReadConfig, mode: ConfigMode): void {
  const origin = origins.get('database.url') ?? 'default';
  printNote(tellDatabase({ database, origin, mode, cwd: process.cwd() }));
  const idle =
    database.dialect === 'sqlite' ? tellIdleSettings(config) : tellIdleParameters(database);
  for (const line of idle) printNote(`warning: ${line}`);
}

/** Beside an SQLite file, which may be there because `database.url` was forgotten. */
function tellIdleSettings({ database: { directUrl, passwordFile } }: Config): readonly string[] {
  return Object.entries({ direct_url: directUrl, password_file: passwordFile })
    .filter(([, value]) => value !== null)
    .map(
      ([key]) =>
        `database.${key} is for PostgreSQL, and database.url names an SQLite file: unset one of them`,
    );
}

/** Parameters that people add for libpq would else be left out in silence. */
function tellIdleParameters({ url, directUrl, readUrl }: Postgres): readonly string[] {
  return Object.entries({ url, direct_url: directUrl, read_url: readUrl }).flatMap(([key, one]) => {
    const idle = findIdleParameters(one ?? '');
    return idle.length === 0
      ? []
      : [`database.${key}: svc makes no use of ${idle.join(', ')}: ${REMOVE}`];
  });
}

type Postgres = Extract<DatabaseLocation, { dialect: 'postgres' }>;

const REMOVE =
  'remove that from the URL, or see docs/operate/high-availability.md for what svc takes in its place';

/** `database: .svc/runtime.db (default)`, and where the other default is the likelier one, that too. */
export function tellDatabase(params: {
  readonly database: DatabaseLocation;
  /** As the configuration names it. */
  readonly origin: string;
  readonly mode: ConfigMode;
  readonly cwd: string;
}): string {
  const { database, origin, mode, cwd } = params;
  const told = `database: ${showDatabase(database, cwd)} (${origin})`;
  if (origin !== 'default' || database.dialect !== 'sqlite') return told;
  const other = mode === 'dev' ? OTHERS.dev : OTHERS.serve;
  const parsed = parseDatabaseUrl(other.url, { cwd });
  const path = parsed.ok && parsed.location.dialect === 'sqlite' ? parsed.location.path : null;
  if (path === null || changedAt(path) <= changedAt(database.path)) return told;
  return `${told}\n${other.url} was used more recently, by ${other.user}: to use it, add --database-url ${other.url}`;
}

/** Relative inside the working directory, absolute elsewhere; without a password. */
export function showDatabase(database: DatabaseLocation, cwd: string): string {
  if (database.dialect !== 'sqlite') return nameDatabase(database);
  const fromHere = relative(cwd, database.path);
  return fromHere === '' || fromHere.startsWith('..') ? database.path : fromHere;
}

const { default: serveUrl, devDefault: devUrl } = CONFIG_KEYS['database.url'];

/** The default file of the other mode. */
const OTHERS = {
  dev: { url: serveUrl, user: '"svc serve" or a command beside it' },
  serve: { url: devUrl, user: '"svc dev"' },
};

/** 0: there is no such file. New writes stay in the write-ahead log for a while. */
function changedAt(path: string): number {
  const times = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}
