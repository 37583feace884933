import { isIP } from 'node:net';
import { findDatabaseUrlProblem } from './database-url.ts';
import type { ConfigValue, KeyRow } from './key-row.ts';
import { maskUrl } from './mask-url.ts';
import { SECRET_PATTERN } from '../security/named-secrets.ts';
import { MCP_SERVERS_TYPE, readMcpServers } from './read-mcp-servers.ts';
import { readSubjects, SUBJECTS_TYPE } from './read-subjects.ts';

/** A raw value as its key's row wants it, or in what it falls short: "found …, expected …". */
export type ReadValue =
  | { readonly ok: true; readonly value: ConfigValue }
  | { readonly ok: false; readonly problem: string };

/**
 * Checks a value of the TOML file, which has its type already, or one of the command line or the
 * environment, which is text. Secrets and passwords never appear in the problem.
 */
export function readValue(row: KeyRow, raw: unknown, origin: 'toml' | 'text'): ReadValue {
  const value = read(row, origin === 'text' && typeof raw === 'string' ? fromText(row, raw) : raw);
  if (value !== undefined) return { ok: true, value };
  return { ok: false, problem: `found ${describe(row, raw)}, expected ${expectation(row, raw)}` };
}

/** The accepted values of a row, in words. */
export function describeType(row: KeyRow): string {
  switch (row.type) {
    case 'int':
      return `an integer from ${row.min} to ${row.max}`;
    case 'bool':
      return 'true or false';
    case 'enum':
      return `one of ${row.values.join(', ')}`;
    case 'port_or_off':
      return 'a port from 0 to 65535, or off';
    case 'host':
      return 'an IP address or a host name';
    case 'url':
      return 'an http:// or https:// URL';
    case 'database_url':
      return 'a path, a sqlite: URL or a postgres:// URL';
    case 'secret_key':
      return '32 bytes in base64';
    case 'subjects':
      return SUBJECTS_TYPE;
    case 'mcp_servers':
      return MCP_SERVERS_TYPE;
    case 'secret_patterns':
      return 'a list of names with `*` for any characters, joined by commas in the environment';
    case 'commands':
      return 'a list of command lines, joined by commas in the environment';
    case 'urls':
      return 'a list of http:// or https:// URLs, joined by commas in the environment';
    case 'string':
    case 'secret':
      return 'a string that is not empty';
  }
}

function fromText(row: KeyRow, text: string): unknown {
  const isNumber = /^-?\d{1,15}$/.test(text);
  switch (row.type) {
    case 'subjects':
    case 'mcp_servers':
      return fromJson(text);
    case 'secret_patterns':
    case 'commands':
    case 'urls':
      return text.split(',').map((item) => item.trim());
    case 'int':
    case 'port_or_off':
      return isNumber ? Number(text) : text;
    case 'bool':
      if (/^(true|1)$/i.test(text)) return true;
      return /^(false|0)$/i.test(text) ? false : text;
    default:
      return text;
  }
}

/** A table has no other form in the environment. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function read(row: KeyRow, value: unknown): ConfigValue | undefined {
  if (row.type === 'bool') return typeof value === 'boolean' ? value : undefined;
  if (row.type === 'int') return isIntegerWithin(value, row.min, row.max) ? value : undefined;
  if (row.type === 'port_or_off' && isIntegerWithin(value, 0, 65_535)) return value;
  if (row.type === 'subjects') return readSubjects(value);
  if (row.type === 'mcp_servers') return readMcpServers(value);
  if (row.type === 'secret_patterns') return readTexts(value, SECRET_PATTERN);
  if (row.type === 'commands') return readTexts(value, /\S/);
  if (row.type === 'urls') return readUrls(value);
  if (typeof value !== 'string' || value === '') return undefined;
  switch (row.type) {
    case 'enum':
      return row.values.includes(value) ? value : undefined;
    case 'port_or_off':
      return value === 'off' ? value : undefined;
    case 'host':
      return isHost(value) ? value : undefined;
    case 'url':
      return isHttpUrl(value) ? value : undefined;
    case 'database_url':
      return findDatabaseUrlProblem(value) === null ? value : undefined;
    case 'secret_key':
      return /^[A-Za-z0-9+/]{43}=?$/.test(value) ? value : undefined;
    case 'string':
    case 'secret':
      return value;
  }
}

function readTexts(value: unknown, form: RegExp): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === 'string' && form.test(item));
  return texts.length === value.length ? texts : undefined;
}

function readUrls(value: unknown): readonly string[] | undefined {
  const urls = readTexts(value, /\S/);
  return urls?.every(isHttpUrl) === true ? urls : undefined;
}

function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function isHost(value: string): boolean {
  return isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(value);
}

function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(value) && URL.canParse(value);
}

function expectation(row: KeyRow, raw: unknown): string {
  const reason =
    row.type === 'database_url' && typeof raw === 'string' ? findDatabaseUrlProblem(raw) : null;
  return reason === null ? describeType(row) : `${describeType(row)} (${reason})`;
}

const FOUND_CHARACTERS_MAX = 80;

function describe(row: KeyRow, raw: unknown): string {
  if (Array.isArray(raw)) return 'a list';
  if (raw instanceof Date) return 'a date';
  if (typeof raw === 'object' && raw !== null) return 'a table';
  if (row.type === 'secret' || row.type === 'secret_key') return 'another value';
  const shown = typeof raw === 'string' ? maskUrl(raw) : raw;
  const text = JSON.stringify(shown) ?? String(shown);
  return text.length <= FOUND_CHARACTERS_MAX ? text : `${text.slice(0, FOUND_CHARACTERS_MAX)}…`;
}
