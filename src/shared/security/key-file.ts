import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { KEY_BYTES, parseEncryptionKey, type EncryptionKeys } from './secret-box.ts';

/*
 * Encryption keys in a file that only its owner may read: one in base64 on each line, the newest
 * first. The file is written whole beside its place and then put there, so nobody reads half of it,
 * and of two processes that make the first key only one succeeds and both use that one.
 */

/** The keys of a file; the first seal creates the first key. */
export function openKeyFile(params: {
  readonly path: string;
  readonly randomBytes: (count: number) => Uint8Array;
}): EncryptionKeys {
  const { path, randomBytes } = params;
  return {
    all: () => readKeyFile(path),
    newest() {
      if (!existsSync(path)) makeFirstKey(path, randomBytes);
      return readKeyFile(path)[0] ?? null;
    },
  };
}

/** Adds a new key before the existing ones. */
export function addKeyToFile(params: {
  readonly path: string;
  readonly randomBytes: (count: number) => Uint8Array;
}): void {
  const { path, randomBytes } = params;
  const known = existsSync(path) ? readKeyFile(path) : [];
  const draft = writeDraft(path, [randomBytes(KEY_BYTES), ...known]);
  renameSync(draft, path);
}

function makeFirstKey(path: string, randomBytes: (count: number) => Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = writeDraft(path, [randomBytes(KEY_BYTES)]);
  try {
    // Unlike a rename, a link never replaces an existing file.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(path: string, keys: readonly Uint8Array[]): string {
  const draft = `${path}.${process.pid}`;
  const lines = keys.map((key) => `${Buffer.from(key).toString('base64')}\n`);
  writeFileSync(draft, lines.join(''), { mode: 0o600, flag: 'wx' });
  return draft;
}

function readKeyFile(path: string): readonly Uint8Array[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line, index) => {
    const key = parseEncryptionKey(line);
    if (key === null) throw new Error(`line ${index + 1} of ${path} is no key: 32 bytes in base64`);
    return key;
  });
}
