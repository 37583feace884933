import type { Config } from '../shared/config/config.ts';
import { IN_MEMORY, type DatabaseLocation } from '../shared/config/database-url.ts';
import { describeConfig } from '../shared/config/describe-config.ts';
import { ownEnvNames, rowOf } from '../shared/config/keys.ts';
import type { ConfigOrigins } from '../shared/config/load.ts';
import type { MigrationFacts } from '../shared/engine/doctor/check.ts';
import type { SettingInForce, SystemFacts } from '../shared/engine/system/system-facts.ts';
import { type EncryptionKeys, idOfKey } from '../shared/security/secret-box.ts';
import { migrationStatus, SchemaError } from '../shared/store/opening/migrate.ts';
import type { Store } from '../shared/store/store.ts';
import { latestNumber, readMigrations } from '../shared/store/opening/migrations.ts';
import { retentionTimes } from './retention-times.ts';

/** The facts about a process with this configuration that operators may read. */
export function systemFacts(params: {
  readonly config: Config;
  readonly database: DatabaseLocation;
  readonly keys: EncryptionKeys;
  /** Absent: nobody knows where the values come from. */
  readonly origins?: ConfigOrigins | undefined;
  /** See `Store`; absent: the process has no connections yet. */
  readonly aside?: Store['aside'];
}): SystemFacts {
  const { config, database, keys, origins = new Map(), aside = (work) => work() } = params;
  return {
    settings: () => describeSettings(config, origins),
    migrations: () => aside(() => readMigrationFacts(database)),
    setup: () => ({
      connectionsPerProcess: config.database.poolSize + config.database.maxOverflow,
      keyIds: keys.all().map(idOfKey),
    }),
    retentionDefaults: retentionTimes(config).defaults,
    currentMs: Date.now,
  };
}

export async function readMigrationFacts(database: DatabaseLocation): Promise<MigrationFacts> {
  try {
    // A second connection to a database in memory would open another one.
    if (database.dialect === 'sqlite' && database.path === IN_MEMORY) {
      const latest = latestNumber(await readMigrations('sqlite'));
      return { current: latest, latest, pending: [], trouble: null };
    }
    return { ...(await migrationStatus(database)), trouble: null };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { current: 0, latest: 0, pending: [], trouble: error.message };
  }
}

function describeSettings(config: Config, origins: ConfigOrigins): readonly SettingInForce[] {
  return describeConfig(config, origins).map(({ key, value, origin }) => {
    const row = rowOf(key);
    const isSecret = row.type === 'secret' || row.type === 'secret_key';
    return { key, value, origin, isSecret, meaning: row.meaning, variables: ownEnvNames(key) };
  });
}
