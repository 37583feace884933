import { ConfigError } from '../../src/shared/config/config-error.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { locateDatabase, type DatabaseLocation } from '../../src/shared/config/database-url.ts';
import type { ConfigKey } from '../../src/shared/config/keys.ts';
import { loadConfig, type ConfigMode, type ConfigOrigins } from '../../src/shared/config/load.ts';

/** Options for configuration keys, as commander passes them. */
export interface ConfigOptions {
  readonly config?: string;
  readonly port?: string;
  readonly bind?: string;
  readonly publicUrl?: string;
  readonly databaseUrl?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
}

export interface ReadConfig {
  readonly config: Config;
  readonly origins: ConfigOrigins;
  readonly database: DatabaseLocation;
}

/** Reads the configuration from all its sources; every fault in it ends the command with code 2. */
export function readConfig(options: ConfigOptions, mode: ConfigMode): ReadConfig {
  const loaded = loadConfig({
    flags: toFlags(options),
    env: process.env,
    configFile: options.config,
    cwd: process.cwd(),
    mode,
  });
  if (!loaded.ok) throw new ConfigError(loaded.problems);
  const { config, origins } = loaded;
  const parsed = locateDatabase(config.database, { cwd: process.cwd() });
  if (!parsed.ok) throw new ConfigError([parsed.problem]);
  return { config, origins, database: parsed.location };
}

function toFlags(options: ConfigOptions): Partial<Record<ConfigKey, string>> {
  const flags: Partial<Record<ConfigKey, string>> = {};
  for (const [key, value] of [
    ['runtime.port', options.port],
    ['runtime.bind', options.bind],
    ['runtime.public_url', options.publicUrl],
    ['database.url', options.databaseUrl],
    ['logging.level', options.logLevel],
    ['logging.format', options.logFormat],
  ] as const) {
    if (value !== undefined) flags[key] = value;
  }
  return flags;
}
