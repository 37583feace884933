import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';

import { ConfigError } from '../shared/config/config-error.ts';
import type { Config } from '../shared/config/config.ts';
import { IN_MEMORY, type DatabaseLocation } from '../shared/config/database-url.ts';
import { openKeyFile } from '../shared/security/key-file.ts';
import {
  KEY_BYTES,
  parseEncryptionKey,
  type EncryptionKeys,
} from '../shared/security/secret-box.ts';

/**
 * The keys that seal provider keys: those configured, else on SQLite those of a file beside it, and
 * for a database in memory one that is gone with it.
 */
export function readEncryptionKeys(params: {
  readonly config: Config;
  readonly database: DatabaseLocation;
}): EncryptionKeys {
  const { config, database } = params;
  const { encryptionKey, previousEncryptionKeys } = config.memory;
  const previous = (previousEncryptionKeys ?? '').split(',').map((text) => text.trim());
  const known = [encryptionKey ?? '', ...previous].filter(Boolean).map(parseEncryptionKey);
  const keys = known.filter((key) => key !== null);
  if (keys.length < known.length) throw new ConfigError([WRONG_PREVIOUS]);
  if (encryptionKey === null && previous.some(Boolean)) throw new ConfigError([ONLY_PREVIOUS]);
  if (encryptionKey === null && isInMemory(database)) return onlyKey(randomBytes(KEY_BYTES));
  const path = keyFileOf(database);
  if (encryptionKey === null && path !== null) return openKeyFile({ path, randomBytes });
  return { all: () => keys, newest: () => keys[0] ?? null };
}

function onlyKey(key: Uint8Array): EncryptionKeys {
  return { all: () => [key], newest: () => key };
}

function isInMemory(database: DatabaseLocation): boolean {
  return database.dialect === 'sqlite' && database.path === IN_MEMORY;
}

/** `.svc/encryption.key` for the databases that commands make by default; null on PostgreSQL. */
export function keyFileOf(database: DatabaseLocation): string | null {
  return database.dialect === 'sqlite' ? join(dirname(database.path), 'encryption.key') : null;
}

const WRONG_PREVIOUS =
  'memory.previous_encryption_keys: found another value, expected 32 bytes in base64 each, separated by commas';
const ONLY_PREVIOUS =
  'memory.previous_encryption_keys: needs memory.encryption_key, the key that seals from now on';
