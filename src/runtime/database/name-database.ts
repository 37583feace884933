import type { DatabaseLocation } from '../../shared/config/database-url.ts';
import { maskUrl } from '../../shared/config/mask-url.ts';

/** As it may be shown. */
export function nameDatabase(database: DatabaseLocation): string {
  return database.dialect === 'sqlite' ? database.path : maskUrl(database.url);
}
