import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { usageError } from './exit-code.ts';

/** The text of a file, or of stdin when the name is `-`. */
export async function readText(
  file: string,
): Promise<{ readonly name: string; readonly text: string }> {
  if (file === '-') return { name: 'stdin', text: decode('stdin', await buffer(process.stdin)) };
  try {
    if ((await stat(file)).isDirectory()) {
      throw usageError(`"${file}" is a directory: name a file in it`);
    }
    return { name: file, text: decode(`"${file}"`, await readFile(file)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`"${file}" does not exist`, error);
    if (code === 'EACCES') throw usageError(`"${file}" is not readable by this user`, error);
    throw error;
  }
}

/**
 * Other encodings are refused, because their text would arrive changed. Some editors begin a file with
 * a byte order mark, which neither format knows: the decoder leaves it out.
 */
function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw usageError(`${name} is not UTF-8: save it in this encoding`, error);
  }
}
