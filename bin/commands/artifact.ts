import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { connectResources, type ClientOptions } from '../cli/client.ts';
import { usageError } from '../cli/exit-code.ts';
import { printFields, printJson, printLine, printNote } from '../cli/output.ts';

/** Uploads a file (`-`: stdin) and prints the hash that names its content. */
export async function putArtifact(
  file: string,
  options: ClientOptions & { readonly type: string },
): Promise<void> {
  const content = new Uint8Array(file === '-' ? await buffer(process.stdin) : await read(file));
  const stored = await connectResources(options).putArtifact(content, options.type);
  if (options.output === 'json') printJson(stored);
  else printLine(stored.hash);
}

/** Writes the content as it arrives. A file that exists is not replaced. */
export async function getArtifact(
  hash: string,
  options: ClientOptions & { readonly file?: string },
): Promise<void> {
  const { file } = options;
  if (file === undefined && process.stdout.isTTY) {
    throw usageError('the content may not suit a terminal: add --file, or pipe it');
  }
  const response = await connectResources(options).openArtifact(hash);
  const content = Readable.fromWeb(response.body as never);
  if (file === undefined) {
    await pipeline(content, process.stdout, { end: false });
    return;
  }
  await pipeline(content, createWriteStream(file, { flags: 'wx' })).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') throw usageError(`"${file}" exists: name a new file`, error);
    if (code === 'ENOENT') throw usageError(`the folder of "${file}" does not exist`, error);
    throw error;
  });
  printNote(`wrote ${file}`);
}

/** Prints what is known about an artifact without its content. */
export async function showArtifact(hash: string, options: ClientOptions): Promise<void> {
  const response = await connectResources(options).openArtifact(hash);
  const { headers } = response;
  await response.body?.cancel();
  const size = headers.get('content-length');
  const shown = {
    hash,
    size: size === null ? null : Number(size),
    content_type: headers.get('content-type'),
  };
  if (options.output === 'json') printJson(shown);
  else printFields(shown);
}

async function read(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`"${file}" does not exist`, error);
    if (code === 'EISDIR') throw usageError(`"${file}" is a directory: name a file in it`, error);
    throw error;
  }
}
