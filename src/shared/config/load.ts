import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { nestConfig } from './config.ts';
import type { ConfigValue, KeyRow } from './key-row.ts';
import type { ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from './keys.ts';
import { readEnv } from './read-env.ts';
import { readTomlFile, type TomlFile } from './read-toml-file.ts';
import type { ReadValue } from './read-value.ts';
import { readValue } from './read-value.ts';

/** `dev` is `svc dev`; `serve` is every other way to run. They differ in a few defaults. */
export type ConfigMode = 'dev' | 'serve';

export interface LoadConfigParams {
  /** Values given on the command line, by key, as text. */
  readonly flags: Readonly<Partial<Record<ConfigKey, string>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file named by `--config`; without it `svc.toml` in `cwd` is read when it exists. Null: no file. */
  readonly configFile?: string | null | undefined;
  readonly cwd: string;
  readonly mode: ConfigMode;
}

/** Where each value came from, in words: `flag --port`, `env SVC_PORT`, a file or `default`. */
export type ConfigOrigins = ReadonlyMap<ConfigKey, string>;

/** Each problem is one line: where, which key, what was found and what was expected. */
export type LoadedConfig =
  | { readonly ok: true; readonly config: Config; readonly origins: ConfigOrigins }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Loads the configuration. A value on the command line wins over the environment, that over the
 * file, that over the default. All problems are reported at once, those of values that are
 * overridden too, so that a file does not turn out wrong on the day an override is dropped.
 */
export function loadConfig({ flags, env, configFile, cwd, mode }: LoadConfigParams): LoadedConfig {
  const file =
    configFile === null
      ? NO_FILE
      : readTomlFile({
          path: resolve(cwd, configFile ?? 'svc.toml'),
          name: configFile ?? 'svc.toml',
          required: configFile !== undefined,
        });
  const problems = [...file.problems];
  const values = new Map<ConfigKey, ConfigValue>();
  const origins = new Map<ConfigKey, string>();

  for (const key of CONFIG_KEY_NAMES) {
    const row = rowOf(key);
    const candidates: Candidate[] = [];
    const flag = flags[key];
    if (flag !== undefined) {
      const name = `flag ${row.flag ?? key}`;
      candidates.push({ origin: name, read: readValue(row, flag, 'text') });
    }
    const fromEnv = readEnv(env, row, ownEnvNames(key));
    problems.push(...fromEnv.problems);
    if (fromEnv.found !== null) candidates.push(fromEnv.found);
    const inFile = file.values.get(key);
    if (inFile !== undefined) {
      candidates.push({ origin: file.name, read: readValue(row, inFile, 'toml') });
    }
    candidates.push({ origin: 'default', read: { ok: true, value: defaultOf(row, mode) } });

    for (const { origin, read } of candidates) {
      if (!read.ok) problems.push(`${origin}: ${key}: ${read.problem}`);
      else if (!values.has(key)) {
        values.set(key, read.value);
        origins.set(key, origin);
      }
    }
  }
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, config: nestConfig(values), origins };
}

const NO_FILE: TomlFile = { name: '', values: new Map(), problems: [] };

interface Candidate {
  readonly origin: string;
  readonly read: ReadValue;
}

function defaultOf(row: KeyRow, mode: ConfigMode): ConfigValue {
  if (mode === 'dev' && 'devDefault' in row && row.devDefault !== undefined) return row.devDefault;
  return row.default;
}
