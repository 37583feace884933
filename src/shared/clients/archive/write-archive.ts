import { createHash } from 'node:crypto';
import { mkdir, open, rename, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

import {
  encodeExecutionDocument,
  EXECUTION_FORMAT,
  type ExecutionDocument,
} from '../../domain/execution/document/execution-document.ts';

/*
 * Archives of executions: `<name>.jsonl.gz` with a line for each, and `<name>.json`, its manifest.
 *
 * A file has a temporary name until all of it is on the disk, and its manifest comes after it. So a
 * file with a manifest is complete, and one without was being written when the process died.
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

/** `name` is without an ending, and nobody else's. Documents are asked for one at a time. */
export async function writeArchive(params: {
  readonly folder: string;
  readonly name: string;
  readonly documents: AsyncIterable<ExecutionDocument>;
}): Promise<ArchiveManifest> {
  const { folder, name, documents } = params;
  await mkdir(folder, { recursive: true });
  const file = `${name}.jsonl.gz`;
  const counts = { executions: 0, events: 0 };
  const { sha256, bytes } = await writeWhole(folder, file, encodeLines(documents, counts));
  const manifest: ArchiveManifest = {
    format: 'svc.archive.1',
    file,
    sha256,
    bytes,
    document_format: EXECUTION_FORMAT,
    ...counts,
  };
  await writeWhole(
    folder,
    `${name}.json`,
    Readable.from([JSON.stringify(manifest, null, 2), '\n']),
  );
  return manifest;
}

function encodeLines(
  documents: AsyncIterable<ExecutionDocument>,
  counts: { executions: number; events: number },
): Readable {
  async function* lines(): AsyncGenerator<string> {
    for await (const document of documents) {
      counts.executions += 1;
      counts.events += document.events.length;
      yield `${encodeExecutionDocument(document)}\n`;
    }
  }
  const source = Readable.from(lines());
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  return source.pipe(gzip);
}

/** Under its name only once it is on the disk, and the name too. */
async function writeWhole(
  folder: string,
  file: string,
  content: Readable,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const path = join(folder, file);
  const unfinished = `${path}.tmp`;
  const hash = createHash('sha256');
  const target = await open(unfinished, 'w', 0o600);
  try {
    for await (const chunk of content as AsyncIterable<Buffer | string>) {
      hash.update(chunk);
      await target.appendFile(chunk);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  const { size: bytes } = await stat(unfinished);
  await rename(unfinished, path);
  await syncFolder(folder);
  return { sha256: hash.digest('hex'), bytes };
}

async function syncFolder(folder: string): Promise<void> {
  const handle: FileHandle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
