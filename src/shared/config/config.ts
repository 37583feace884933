import type { ConfigValue, ValueOf } from './key-row.ts';
import type { CONFIG_KEYS, ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES } from './keys.ts';

/**
 * The configuration as code reads it: `database.pool_size` of the table is
 * `config.database.poolSize`, typed as its row says.
 */
export type Config = Nested<{
  readonly [Key in ConfigKey as CamelCase<Key>]: ValueOf<(typeof CONFIG_KEYS)[Key]>;
}>;

/** Every key with its value: the configuration before it is nested. */
export type FlatConfig = ReadonlyMap<ConfigKey, ConfigValue>;

/** Nests values under the sections their keys name. The values have been checked by their rows. */
export function nestConfig(values: FlatConfig): Config {
  const root: Section = {};
  for (const key of CONFIG_KEY_NAMES) {
    const names = camelCase(key).split('.');
    const last = names.pop() ?? key;
    let section = root;
    for (const name of names) section = subsection(section, name);
    section[last] = values.get(key) ?? null;
  }
  // Rows and values have met in `read-value.ts`; a test compares the result with the table.
  return root as unknown as Config;
}

/** The value of a key. */
export function configValue(config: Config, key: ConfigKey): ConfigValue {
  let value: unknown = config;
  for (const name of camelCase(key).split('.')) value = (value as Section)[name];
  return value as ConfigValue;
}

interface Section {
  [name: string]: ConfigValue | Section;
}

function subsection(section: Section, name: string): Section {
  const known = section[name];
  if (typeof known === 'object' && known !== null && !isList(known)) return known;
  const created: Section = {};
  section[name] = created;
  return created;
}

/** `Array.isArray` knows no readonly arrays. */
function isList(
  value: Section | Extract<ConfigValue, readonly unknown[]>,
): value is Extract<ConfigValue, readonly unknown[]> {
  return Array.isArray(value);
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Nested<Flat> = {
  readonly [Name in SectionOf<keyof Flat>]: Name extends keyof Flat
    ? Flat[Name]
    : Nested<{
        [Key in keyof Flat as Key extends `${Name}.${infer Rest}` ? Rest : never]: Flat[Key];
      }>;
};

type SectionOf<Key> = Key extends `${infer Section}.${string}` ? Section : Key & string;
