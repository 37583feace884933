import Database from 'better-sqlite3';

import { IN_MEMORY } from '../../config/database-url.ts';
import { readMigrations } from '../opening/migrations.ts';
import type { Store } from '../store.ts';
import { connectTo } from './connection/connect.ts';
import { migrateOpen } from './connection/migrator.ts';
import { createSqliteStore } from './open.ts';

/** A store that is gone when it is closed, for what nobody reads afterwards. */
export async function openInMemoryStore(): Promise<Store> {
  const known = await readMigrations('sqlite');
  const database = new Database(IN_MEMORY);
  database.pragma('foreign_keys = on');
  migrateOpen({ database, known, onApplied: () => undefined });
  return createSqliteStore(connectTo(database, { path: IN_MEMORY }));
}
