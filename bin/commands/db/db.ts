import { migrateDatabase } from '../../../src/shared/store/opening/migrate.ts';
import { withDatabaseErrorsExplained } from '../../../src/runtime/database/explain-database-error.ts';
import { nameDatabase } from '../../../src/runtime/database/name-database.ts';
import { printJson, printLine, printNote, type OutputFormat } from '../../cli/output.ts';
import type { ConfigOptions } from '../../boot/read-config.ts';
import { takeDatabase } from '../../boot/take-database.ts';

type DatabaseOptions = ConfigOptions & { readonly output: OutputFormat };

export async function migrate(options: DatabaseOptions): Promise<void> {
  const { database } = takeDatabase(options);
  const isJson = options.output === 'json';
  const { applied, version } = await withDatabaseErrorsExplained(
    database,
    migrateDatabase({ ...database, log: isJson ? printNote : printLine }),
  );
  if (isJson) return printJson({ database: nameDatabase(database), applied, version });
  printLine(
    applied === 0
      ? `nothing to do: ${nameDatabase(database)} is at version ${version}`
      : `${nameDatabase(database)} is now at version ${version}`,
  );
}
