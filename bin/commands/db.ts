import { maskUrl } from '../../src/shared/config/mask-url.ts';
import type { DatabaseLocation } from '../../src/shared/config/database-url.ts';
import { migrateDatabase, migrationStatus } from '../../src/shared/store/migrate.ts';
import { CliError } from '../support/exit-code.ts';
import { explainDatabaseError } from '../support/explain-database-error.ts';
import {
  printFields,
  printJson,
  printLine,
  printNote,
  type OutputFormat,
} from '../support/output.ts';
import { readConfig, type ConfigOptions } from '../support/read-config.ts';

type DatabaseOptions = ConfigOptions & { readonly output: OutputFormat };

export async function migrate(options: DatabaseOptions): Promise<void> {
  const { database } = readConfig(options, 'serve');
  const isJson = options.output === 'json';
  const { applied, version } = await explained(
    database,
    migrateDatabase({ ...database, log: isJson ? printNote : printLine }),
  );
  if (isJson) return printJson({ database: nameDatabase(database), applied, version });
  printLine(
    applied === 0
      ? `nothing to do: ${nameDatabase(database)} has version ${version}`
      : `${nameDatabase(database)} is at version ${version} now`,
  );
}

/** Exit code 1 while migrations are outstanding, so that a deployment can wait for none to be. */
export async function showStatus(options: DatabaseOptions): Promise<void> {
  const { database } = readConfig(options, 'serve');
  const { current, latest, pending } = await explained(database, migrationStatus(database));
  const name = nameDatabase(database);
  if (options.output === 'json') printJson({ database: name, current, latest, pending });
  else {
    const titles = pending.map(({ number, title }) => `${number} ${title}`);
    printFields({ database: name, current, latest, pending: titles.join('\n') || 'none' });
  }
  if (pending.length > 0) {
    throw new CliError(
      `${pending.length} migration${pending.length === 1 ? ' is' : 's are'} not applied: run "svc db migrate"`,
    );
  }
}

async function explained<Result>(
  database: DatabaseLocation,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw explainDatabaseError(error, database).error;
  }
}

function nameDatabase(database: DatabaseLocation): string {
  return database.dialect === 'sqlite' ? database.path : maskUrl(database.url);
}
