import { readFileSync, statSync } from 'node:fs';

import { usageError } from './exit-code.ts';

/** The text of a file, or of stdin when the name is `-`. */
export function readText(file: string): { readonly name: string; readonly text: string } {
  if (file === '-') return { name: 'stdin', text: readFileSync(0, 'utf8') };
  try {
    if (statSync(file).isDirectory()) {
      throw usageError(`"${file}" is a directory: name a file in it`);
    }
    return { name: file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw usageError(`"${file}" does not exist`, error);
    if (code === 'EACCES') throw usageError(`"${file}" may not be read by this user`, error);
    throw error;
  }
}
