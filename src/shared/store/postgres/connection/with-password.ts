import { readFileSync } from 'node:fs';

import { StoreUnavailableError } from '../../unavailable.ts';

/**
 * The URL with the password that the file has now. A rotated password therefore needs no restart:
 * open connections stay, and new ones use the new password.
 */
export function withPassword(url: string, file: string | null | undefined): string {
  if (file === null || file === undefined) return url;
  const password = encodeURIComponent(readPassword(file));
  return `${url}${url.includes('?') ? '&' : '?'}password=${password}`;
}

/** Editors end the file with a line break, which is no part of the password. */
function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`cannot read database.password_file: ${reason}`, {
      ambiguous: false,
    });
  }
}
