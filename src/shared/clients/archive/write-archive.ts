import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';

import {
  encodeExecutionDocument,
  EXECUTION_FORMAT,
  type ExecutionDocument,
} from '../../domain/execution/document/execution-document.ts';
import { ARCHIVE_FILES, type ArchiveFiles } from './archive-files.ts';

/*
 * Archives of executions: `<name>.jsonl.gz` with a line for each, and `<name>.json`, its manifest.
 *
 * A file has a temporary name until all of it is on the disk, and its manifest comes after it. So a
 * file with a manifest is complete, and one without was being written when the process died. The
 * folder's own name is on the disk before the first file is.
 * Archived executions may still be in the database, because the file is complete before anything is
 * removed.
 */

export interface ArchiveManifest {
  readonly format: 'svc.archive.1';
  readonly file: string;
  /** Hex SHA-256 of the compressed file. */
  readonly sha256: string;
  readonly bytes: number;
  readonly document_format: typeof EXECUTION_FORMAT;
  readonly executions: number;
  readonly events: number;
}

/**
 * `name` is without an ending, and nobody else's. Documents are asked for one at a time. Throws
 * `ArchiveWriteError` if the folder or the disk refuses, and what `documents` throws.
 */
export async function writeArchive(params: {
  readonly folder: string;
  readonly name: string;
  readonly documents: AsyncIterable<ExecutionDocument>;
  readonly files?: ArchiveFiles;
}): Promise<ArchiveManifest> {
  const { name, documents, files = ARCHIVE_FILES } = params;
  const folder = resolve(params.folder);
  const file = `${name}.jsonl.gz`;
  const counts = { executions: 0, events: 0 };
  try {
    await makeFolder(files, folder);
    const content = files.compress(encodeLines(documents, counts));
    const { sha256, bytes } = await writeWhole(files, { folder, file, content });
    const manifest: ArchiveManifest = {
      format: 'svc.archive.1',
      file,
      sha256,
      bytes,
      document_format: EXECUTION_FORMAT,
      ...counts,
    };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await writeWhole(files, { folder, file: `${name}.json`, content: [text] });
    return manifest;
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    throw new ArchiveWriteError(join(folder, file), error);
  }
}

/** The executions of the archive stay in the database; the message says what to do. */
export class ArchiveWriteError extends Error {
  override readonly name = 'ArchiveWriteError';

  constructor(path: string, cause: Error) {
    super(
      `cannot write the archive ${path}: ${cause.message}. Retention keeps the executions that it ` +
        'cannot archive: free space, or let svc write to this folder; the next run tries again',
      { cause },
    );
  }
}

/** Errors of the operating system name the call that failed; those of the database don't. */
function isOfFiles(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** Another process may have made the folder a moment ago, and its name may not be on the disk yet. */
async function makeFolder(files: ArchiveFiles, folder: string): Promise<void> {
  const first = (await files.makeFolder(folder)) ?? folder;
  let above = folder;
  do {
    above = dirname(above);
    await files.syncFolder(above);
  } while (above.length > dirname(first).length);
}

async function* encodeLines(
  documents: AsyncIterable<ExecutionDocument>,
  counts: { executions: number; events: number },
): AsyncGenerator<string> {
  for await (const document of documents) {
    counts.executions += 1;
    counts.events += document.events.length;
    yield `${encodeExecutionDocument(document)}\n`;
  }
}

/** Under its name only once it is on the disk, and the name too. */
async function writeWhole(
  files: ArchiveFiles,
  of: {
    readonly folder: string;
    readonly file: string;
    readonly content: AsyncIterable<Buffer> | Iterable<Buffer>;
  },
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const path = join(of.folder, of.file);
  const unfinished = `${path}.tmp`;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const target = await files.create(unfinished);
    try {
      for await (const chunk of of.content) {
        hash.update(chunk);
        bytes += chunk.length;
        await target.append(chunk);
      }
      await target.sync();
    } finally {
      await target.close();
    }
    await files.rename(unfinished, path);
  } catch (error) {
    // Each run would leave another part on a full disk. If this fails too, the first error says more.
    await files.remove(unfinished).catch(() => {});
    throw error;
  }
  await files.syncFolder(of.folder);
  return { sha256: hash.digest('hex'), bytes };
}
