import { readFileSync } from 'node:fs';
import { TomlError, parse } from 'smol-toml';
import type { ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, isConfigKey } from './keys.ts';
import { suggestKey } from './suggest-key.ts';

/** The content of a configuration file: raw values by key. `name` is the path for messages. */
export interface TomlFile {
  readonly name: string;
  readonly values: ReadonlyMap<ConfigKey, unknown>;
  readonly problems: readonly string[];
}

export interface ReadTomlFileParams {
  readonly path: string;
  readonly name: string;
  /** Whether a missing file is a problem. */
  readonly required: boolean;
}

/** Reads a configuration file. Unknown keys are problems, with the nearest known key named. */
export function readTomlFile({ path, name, required }: ReadTomlFileParams): TomlFile {
  const fail = (problem: string): TomlFile => ({
    name,
    values: new Map(),
    problems: [`${name}: ${problem}`],
  });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT' && !required) return { name, values: new Map(), problems: [] };
    return fail(`cannot be read (${String(error.code)}), expected a TOML file`);
  }
  try {
    return flatten(name, parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0] ?? '';
    return fail(`line ${error.line}, column ${error.column}: ${reason}`);
  }
}

function flatten(name: string, root: object): TomlFile {
  const values = new Map<ConfigKey, unknown>();
  const problems: string[] = [];
  const visit = (table: object, prefix: string): void => {
    for (const [part, value] of Object.entries(table)) {
      const key = prefix + part;
      if (isConfigKey(key)) values.set(key, value);
      else if (!isSection(key)) problems.push(`${name}: unknown key ${key}${suggestKey(key)}`);
      else if (isTable(value)) visit(value, `${key}.`);
      else problems.push(`${name}: ${key}: found a value, expected a table [${key}]`);
    }
  };
  visit(root, '');
  return { name, values, problems };
}

function isSection(key: string): boolean {
  return CONFIG_KEY_NAMES.some((known) => known.startsWith(`${key}.`));
}

function isTable(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
