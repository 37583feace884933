import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { ArchiveManifest } from './write-archive.ts';

const ENDING = '.jsonl.gz';

/** By its name alone, as `writeArchive` gives it. */
export function isArchive(file: string): boolean {
  return file.endsWith(ENDING);
}

/**
 * The executions of an archive, one at a time. Throws `ArchiveProblem` before the first one if the
 * manifest beside it describes another content; without a manifest the file is not checked.
 */
export async function* readArchive(file: string): AsyncGenerator<JsonObject> {
  const manifest = await readManifest(file);
  if (manifest !== null && manifest.sha256 !== (await hashOf(file))) {
    throw new ArchiveProblem(`${file} is not the file that its manifest describes`);
  }
  let line = 0;
  for await (const text of readLines(file)) {
    line += 1;
    yield parseLine(text, `${file}, line ${line}`);
  }
}

/** More than any service takes in at once. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_END = 0x0a;

async function* readLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const content = createGunzip();
  source.on('error', (error) => content.destroy(error));
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source.pipe(content) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let to = chunk.indexOf(LINE_END); to >= 0; to = chunk.indexOf(LINE_END, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, to)]).toString();
        parts = [];
        bytes = 0;
        from = to + 1;
      }
      parts.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > LINE_BYTES_MAX) {
        throw new ArchiveProblem(`${file} has a line of more than ${LINE_BYTES_MAX} bytes`);
      }
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw error;
    throw new ArchiveProblem(`${file} is no archive, or not all of one: ${code}`, { cause: error });
  } finally {
    source.destroy();
  }
  if (bytes > 0) throw new ArchiveProblem(`${file} ends in the middle of a line`);
}

/** The file is not an intact archive; the message says why. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

async function readManifest(file: string): Promise<Pick<ArchiveManifest, 'sha256'> | null> {
  const name = `${file.slice(0, -ENDING.length)}.json`;
  let text: string;
  try {
    text = await readFile(name, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { sha256 } = parseLine(text, name);
  if (typeof sha256 === 'string') return { sha256 };
  throw new ArchiveProblem(`${name} is no manifest of an archive`);
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function parseLine(text: string, where: string): JsonObject {
  let value: JsonValue = null;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // As with anything else that is no object.
  }
  if (isJsonObject(value)) return value;
  throw new ArchiveProblem(`${where} holds no JSON object`);
}
