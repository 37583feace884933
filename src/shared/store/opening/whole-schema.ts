import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { findMigrationsFolder, type Migration } from './migrations.ts';

/*
 * `migrations/sqlite-new.sql` has what all migrations leave in an empty SQLite file, as one script. The
 * migrations take six times as long, because some of them rebuild tables. Its first line tells
 * after which migrations: a script that does not match those known is not used.
 */

const FIRST_LINE = /^-- after: ([0-9a-f]{64})\n/;

/** Null: the script is not that of these migrations. */
export function readWholeSchema(known: readonly Migration[]): string | null {
  const file = join(findMigrationsFolder(), 'sqlite-new.sql');
  const script = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  const [, after] = FIRST_LINE.exec(script) ?? [];
  return after === sumOf(known) ? script : null;
}

/** Tells lists of migrations apart. */
export function sumOf(migrations: readonly Migration[]): string {
  const sums = migrations.map(({ checksum }) => checksum);
  return createHash('sha256').update(sums.join('\n')).digest('hex');
}
