import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import type { openStore } from '../../src/shared/store/opening/open.ts';

/** The database of a command that does one thing after another: a connection is enough. */
export function withOneConnection(
  database: DatabaseLocation,
): Parameters<typeof openStore>[0]['database'] {
  return database.dialect === 'sqlite' ? database : { ...database, poolSize: 1, maxOverflow: 0 };
}
