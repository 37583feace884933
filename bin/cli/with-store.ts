import { checkSchema } from '../../src/shared/store/opening/migrate.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { explainDatabaseError } from '../../src/runtime/database/explain-database-error.ts';
import { withOneConnection } from './one-connection.ts';
import { printNote } from './output.ts';
import type { ConfigOptions } from '../boot/read-config.ts';
import { takeDatabase } from '../boot/take-database.ts';

/** Opens the configured database for one command, and always closes it. */
export async function withStore<Result>(
  options: ConfigOptions & { readonly applicationName: string },
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { config, database } = takeDatabase(options);
  let store: Store | null = null;
  try {
    await checkSchema({ ...database, autoMigrate: config.database.autoMigrate, log: printNote });
    store = await openStore({
      database: withOneConnection(database),
      applicationName: options.applicationName,
    });
    return await work(store);
  } catch (error) {
    throw explainDatabaseError(error, database).error;
  } finally {
    await store?.close();
  }
}
