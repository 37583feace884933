import { mkdir, open, rename, rm } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

/** The operations on files from which `writeArchive` builds its guarantee. */
export interface ArchiveFiles {
  /** With the folders above it. Answers the first one that it made, if any. */
  makeFolder(folder: string): Promise<string | undefined>;
  /** An empty file, which only svc can read. */
  create(path: string): Promise<ArchiveFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** After this, the names in the folder survive a loss of power. */
  syncFolder(folder: string): Promise<void>;
  compress(lines: AsyncIterable<string>): AsyncIterable<Buffer>;
}

export interface ArchiveFile {
  append(chunk: Buffer): Promise<void>;
  /** After this, the content survives a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Those of the operating system. */
export const ARCHIVE_FILES: ArchiveFiles = {
  makeFolder: (folder) => mkdir(folder, { recursive: true }),
  async create(path) {
    const handle = await open(path, 'w', 0o600);
    return {
      append: (chunk) => handle.appendFile(chunk),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
  async syncFolder(folder) {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  compress(lines) {
    // An error may come before anybody reads, and waits for the reader.
    return pipeline(Readable.from(lines), createGzip(), () => undefined);
  },
};
