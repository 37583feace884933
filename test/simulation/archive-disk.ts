import { basename, dirname } from 'node:path';

import type { Dice } from './dice.ts';

/*
 * The disk with the folder of archives. It knows what was synced: a loss of power may take the rest.
 * Each unsynced name is lost or not, independently of others, and so is any last part of an unsynced file.
 */
export interface ArchiveDisk {
  /** The files that a reader sees now, by their paths. */
  files(): ReadonlyMap<string, Buffer>;
  /** The files that a loss of power cannot take. */
  durableFiles(): ReadonlyMap<string, Buffer>;
  losePower(dice: Dice): void;
  /** Answers the first folder that it made, if any. */
  makeFolder(path: string): string | undefined;
  create(path: string): void;
  append(path: string, chunk: Buffer): void;
  sync(path: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  syncFolder(path: string): void;
}

interface File {
  readonly kind: 'file';
  content: Buffer;
  durable: Buffer;
}

interface Folder {
  readonly kind: 'folder';
  names: Map<string, File | Folder>;
  durable: Map<string, File | Folder>;
}

const NOTHING = Buffer.alloc(0);

export function createArchiveDisk(): ArchiveDisk {
  const root = emptyFolder();

  function folderAt(path: string): Folder {
    if (path === '/') return root;
    const found = folderAt(dirname(path)).names.get(basename(path));
    if (found?.kind !== 'folder') throw missing(path);
    return found;
  }

  function fileAt(path: string): File {
    const found = folderAt(dirname(path)).names.get(basename(path));
    if (found?.kind !== 'file') throw missing(path);
    return found;
  }

  return {
    files: () => filesIn(root, { isDurable: false }),
    durableFiles: () => filesIn(root, { isDurable: true }),
    losePower: (dice) => loseIn(root, dice),
    makeFolder(path) {
      if (path === '/') return undefined;
      const first = this.makeFolder(dirname(path));
      const { names } = folderAt(dirname(path));
      if (names.has(basename(path))) return first;
      names.set(basename(path), emptyFolder());
      return first ?? path;
    },
    create(path) {
      const file: File = { kind: 'file', content: NOTHING, durable: NOTHING };
      folderAt(dirname(path)).names.set(basename(path), file);
    },
    append(path, chunk) {
      const file = fileAt(path);
      file.content = Buffer.concat([file.content, chunk]);
    },
    sync(path) {
      const file = fileAt(path);
      file.durable = file.content;
    },
    rename(from, to) {
      const file = fileAt(from);
      folderAt(dirname(from)).names.delete(basename(from));
      folderAt(dirname(to)).names.set(basename(to), file);
    },
    remove(path) {
      folderAt(dirname(path)).names.delete(basename(path));
    },
    syncFolder(path) {
      const folder = folderAt(path);
      folder.durable = new Map(folder.names);
    },
  };
}

function emptyFolder(): Folder {
  return { kind: 'folder', names: new Map(), durable: new Map() };
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, ${path}`), {
    code: 'ENOENT',
    syscall: 'open',
  });
}

function filesIn(
  root: Folder,
  { isDurable }: { readonly isDurable: boolean },
): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  const walk = (folder: Folder, path: string): void => {
    for (const [name, entry] of isDurable ? folder.durable : folder.names) {
      const at = `${path}/${name}`;
      if (entry.kind === 'folder') walk(entry, at);
      else found.set(at, isDurable ? entry.durable : entry.content);
    }
  };
  walk(root, '');
  return found;
}

function loseIn(folder: Folder, dice: Dice): void {
  const left = new Map<string, File | Folder>();
  for (const name of new Set([...folder.durable.keys(), ...folder.names.keys()])) {
    const [kept, latest] = [folder.durable.get(name), folder.names.get(name)];
    const entry = kept === latest || dice.chance(0.5) ? latest : kept;
    if (entry !== undefined) left.set(name, entry);
  }
  folder.names = left;
  folder.durable = new Map(left);
  for (const entry of left.values()) {
    if (entry.kind === 'folder') loseIn(entry, dice);
    else if (entry.content !== entry.durable) {
      const length = dice.between(entry.durable.length, entry.content.length);
      entry.content = entry.content.subarray(0, length);
      entry.durable = entry.content;
    }
  }
}
