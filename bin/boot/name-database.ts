import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import { maskUrl } from '../../src/shared/config/mask-url.ts';

/** As it may be shown. */
export function nameDatabase(database: DatabaseLocation): string {
  return database.dialect === 'sqlite' ? database.path : maskUrl(database.url);
}
