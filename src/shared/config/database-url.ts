import { resolve } from 'node:path';

import { findPostgresUrlProblem, findReplicaUrlProblem } from './postgres-hosts.ts';

/** Where the data live. `path` is absolute. */
export type DatabaseLocation =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | ({ readonly dialect: 'postgres' } & PostgresLocation);

export interface PostgresLocation {
  /** One host or several. */
  readonly url: string;
  /** Leads past a pooler in transaction mode, which `url` then leads to. */
  readonly directUrl?: string | null;
  /** Has the password, for each new connection. */
  readonly passwordFile?: string | null;
  /** A replica, for reads that may lag by so much. */
  readonly readUrl?: string | null;
  readonly readLagMsMax?: number;
}

/** SQLite's own name for a database that is gone when it is closed. */
export const IN_MEMORY = ':memory:';

export type ParsedDatabaseUrl =
  | { readonly ok: true; readonly location: DatabaseLocation }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads `database.url`: a path, `sqlite:file`, `sqlite://file`, `sqlite:///absolute/file`,
 * `postgres://…` or `postgresql://…`. Relative paths are taken from `cwd`. The problem is one
 * line and never holds the password.
 */
export function parseDatabaseUrl(
  text: string,
  { cwd }: { readonly cwd: string },
): ParsedDatabaseUrl {
  const problem = findDatabaseUrlProblem(text);
  if (problem !== null) return { ok: false, problem: `database.url: ${problem}` };
  return {
    ok: true,
    location: isPostgres(text)
      ? { dialect: 'postgres', url: text }
      : { dialect: 'sqlite', path: resolve(cwd, filePath(text)) },
  };
}

/** Reads `database.url` with the keys beside it. */
export function locateDatabase(
  keys: {
    readonly url: string;
    readonly directUrl: string | null;
    readonly passwordFile: string | null;
    readonly readUrl: string | null;
    readonly readLagSecondsMax: number;
  },
  { cwd }: { readonly cwd: string },
): ParsedDatabaseUrl {
  const parsed = parseDatabaseUrl(keys.url, { cwd });
  if (!parsed.ok) return parsed;
  const { directUrl, passwordFile, readUrl } = keys;
  const problem = readUrl === null ? null : findReadUrlProblem(readUrl, parsed.location);
  if (problem !== null) return { ok: false, problem: `database.read_url: ${problem}` };
  if (parsed.location.dialect === 'sqlite') return parsed;
  const directProblem = directUrl === null ? null : findServerUrlProblem(directUrl);
  if (directProblem !== null) {
    return { ok: false, problem: `database.direct_url: ${directProblem}` };
  }
  const location = {
    ...parsed.location,
    directUrl,
    passwordFile: passwordFile === null ? null : resolve(cwd, passwordFile),
    ...(readUrl !== null && { readUrl, readLagMsMax: keys.readLagSecondsMax * 1_000 }),
  };
  return { ok: true, location };
}

function findReadUrlProblem(url: string, { dialect }: DatabaseLocation): string | null {
  if (dialect === 'sqlite') {
    return 'an SQLite file has no replica; unset it, or set database.url to a postgres:// URL';
  }
  return isPostgres(url) ? findReplicaUrlProblem(url) : NO_SERVER;
}

function findServerUrlProblem(url: string): string | null {
  return isPostgres(url) ? findPostgresUrlProblem(url) : NO_SERVER;
}

const NO_SERVER = 'not a postgres:// URL';

/** Why a database cannot be opened at this address, or null. */
export function findDatabaseUrlProblem(text: string): string | null {
  if (isPostgres(text)) return findPostgresUrlProblem(text);
  const path = filePath(text);
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(path)?.[1];
  if (path === IN_MEMORY) {
    return 'an in-memory database would lose every execution at exit; give a file';
  }
  if (scheme !== undefined) return `the scheme ${scheme}: is not supported`;
  if (path.trim() === '' || path.includes('\0')) return 'no file is named';
  if (path !== text && path.includes('?')) return 'a sqlite: URL takes no parameters';
  return /[/\\]$/.test(path) ? 'a folder is named instead of a file' : null;
}

function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

function filePath(text: string): string {
  return text.replace(/^sqlite:(\/\/)?/i, '');
}
