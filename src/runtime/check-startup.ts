import { ConfigError } from '../shared/config/config-error.ts';
import type { Config } from '../shared/config/config.ts';
import type { DatabaseLocation } from '../shared/config/database-url.ts';
import { checkConfig } from '../shared/config/check-config.ts';
import type { ProcessRole } from '../shared/config/listeners.ts';
import { CONNECTIONS_MIN } from '../shared/store/postgres/connection/divide-connections.ts';

/** Throws a ConfigError for settings that contradict each other or would not be obeyed. */
export function checkStartup(params: {
  readonly config: Config;
  readonly database: DatabaseLocation;
  readonly role: ProcessRole;
}): void {
  const { config, database, role } = params;
  const problems = [...checkConfig(config, role)];
  if (database.dialect === 'sqlite' && role !== 'all') {
    problems.push(
      `database.url: the role ${role} alone needs PostgreSQL, as an SQLite file takes one process; ` +
        'expected postgres://…, or run "svc serve" with both roles',
    );
  }
  const { poolSize, maxOverflow } = config.database;
  if (database.dialect === 'postgres' && poolSize + maxOverflow < CONNECTIONS_MIN) {
    problems.push(
      `database.pool_size: ${poolSize} and database.max_overflow: ${maxOverflow} allow a process ` +
        `${poolSize + maxOverflow} connections; on PostgreSQL it needs ${CONNECTIONS_MIN}, so raise one of them`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
}
