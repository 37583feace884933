import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { isJsonObject } from '../../../src/shared/domain/json.ts';
import { usageError } from '../exit-code.ts';

/** Where a runtime is, and the token for it. */
export interface Profile {
  readonly url: string;
  /** Null: the runtime asks for none. */
  readonly token: string | null;
}

export interface Profiles {
  /** The name of the profile that commands use. */
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** `$XDG_CONFIG_HOME/svc/profiles.json`, or the same below `~/.config`. */
export function profileFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CONFIG_HOME'] ?? '';
  const folder = isAbsolute(base) ? base : join(homedir(), '.config');
  return join(folder, 'svc', 'profiles.json');
}

export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { current: null, profiles: {} };
    throw usageError(`"${file}" cannot be read: check its owner and mode`, error);
  }
  const read = parseProfiles(text);
  if (read !== null) return read;
  throw usageError(`"${file}" is no file of profiles: mend it, or remove it and run svc login`);
}

/** Written beside it first, so that a full disk leaves the old file. Only its owner may read it. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
}

function parseProfiles(text: string): Profiles | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || !isJsonObject(value['profiles'])) return null;
  const { current = null, profiles } = value;
  const entries = Object.entries(profiles).map(
    ([name, entry]) => [name, toProfile(entry)] as const,
  );
  if (entries.some(([, profile]) => profile === null)) return null;
  return {
    current: typeof current === 'string' ? current : null,
    profiles: Object.fromEntries(entries) as Readonly<Record<string, Profile>>,
  };
}

function toProfile(value: unknown): Profile | null {
  if (!isJsonObject(value) || typeof value['url'] !== 'string') return null;
  const { url, token = null } = value;
  return { url, token: typeof token === 'string' ? token : null };
}
