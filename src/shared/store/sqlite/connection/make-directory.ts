import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { StoreOpenError } from './errors.ts';

/**
 * Makes the directory of a database file where it is missing. One level at a time: below /proc
 * Node's own recursive way never comes back.
 */
export function makeDirectoryOf(path: string): void {
  try {
    makeMissing(dirname(path));
  } catch (error) {
    throw new StoreOpenError(
      `database file "${path}" cannot be opened: its directory cannot be made; ` +
        'name a directory that this user may write to',
      { cause: error },
    );
  }
}

function makeMissing(directory: string): void {
  if (existsSync(directory)) return;
  makeMissing(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process has just made it.
    if (!existsSync(directory)) throw error;
  }
}
