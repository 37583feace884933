import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { usageError } from './exit-code.ts';

/** The text of a file, or of stdin when the name is `-`. */
export async function readText(
  file: string,
): Promise<{ readonly name: string; readonly text: string }> {
  if (file === '-') return { name: 'stdin', text: withoutMark(await text(process.stdin)) };
  try {
    if ((await stat(file)).isDirectory()) {
      throw usageError(`"${file}" is a directory: name a file in it`);
    }
    return { name: file, text: withoutMark(await readFile(file, 'utf8')) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`"${file}" does not exist`, error);
    if (code === 'EACCES') throw usageError(`"${file}" is not readable by this user`, error);
    throw error;
  }
}

/** Some editors begin a file with a byte order mark, which neither format knows. */
function withoutMark(content: string): string {
  return content.startsWith('\ufeff') ? content.slice(1) : content;
}
