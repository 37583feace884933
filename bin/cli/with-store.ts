import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import { checkSchema } from '../../src/shared/store/opening/migrate.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { withDatabaseErrorsExplained } from '../../src/runtime/database/explain-database-error.ts';
import { printNote } from './output.ts';
import type { ConfigOptions, ReadConfig } from '../boot/read-config.ts';
import { takeDatabase } from '../boot/take-database.ts';

interface Opening {
  readonly applicationName: string;
  /** The command changes nothing, so it doesn't migrate the schema either. */
  readonly onlyReads?: boolean;
}

/** Opens the configured database for one command, and always closes it. */
export function withStore<Result>(
  options: ConfigOptions & Opening,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { applicationName, onlyReads = false } = options;
  return withCheckedStore({ ...takeDatabase(options), applicationName, onlyReads }, work);
}

/** The same, for a command that has read the configuration. */
export function withCheckedStore<Result>(
  params: ReadConfig & Opening,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { config, database, onlyReads = false } = params;
  const autoMigrate = config.database.autoMigrate && !onlyReads;
  const check = { ...database, autoMigrate, log: printNote };
  return withDatabaseErrorsExplained(
    database,
    checkSchema(check).then(() => withOpenStore(params, work)),
  );
}

/** Neither checks the schema nor explains errors. */
export async function withOpenStore<Result>(
  params: { readonly database: DatabaseLocation; readonly applicationName: string },
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { database, applicationName } = params;
  const store = await openStore({ database: withOneConnection(database), applicationName });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A command does one thing after another: a connection is enough. */
function withOneConnection(
  database: DatabaseLocation,
): Parameters<typeof openStore>[0]['database'] {
  return database.dialect === 'sqlite' ? database : { ...database, poolSize: 1, maxOverflow: 0 };
}
