import type { JsonValue } from '../json.ts';
import type { ExpressionScope, ExpressionVariable } from './expression.ts';
import { EXPRESSION_VARIABLES } from './expression.ts';
import { member } from './values.ts';

/** A path a mapping reads: a variable and the keys and positions below it. */
export interface MappingPath {
  readonly variable: ExpressionVariable;
  readonly keys: readonly (string | number)[];
}

const PATH_CHARACTERS_MAX = 1024;
const KEY =
  /\.(?:(?<name>[\p{L}_][\p{L}\p{N}_-]*)|(?<digits>\d{1,9}))|\[(?:(?<index>\d{1,9})|"(?<double>[^"\]]+)"|'(?<single>[^'\]]+)')\]/uy;

/**
 * Reads `$.a.b`, `$state.a[0]`, `input.a["any key"]` and the like; `$` alone is the state.
 * Returns null when the string is not a path from its first character to its last. A bare
 * variable is a path only behind `$`: `"output"` is a word, `"$output"` a path.
 */
export function parseMappingPath(text: string): MappingPath | null {
  if (text.length > PATH_CHARACTERS_MAX) return null;
  const dollar = text.startsWith('$');
  const rest = dollar ? text.slice(1) : text;
  const named = EXPRESSION_VARIABLES.find((variable) => rest.startsWith(variable));
  if (named === undefined && !dollar) return null;
  const keys = readKeys(rest.slice(named?.length ?? 0));
  if (keys === null || (keys.length === 0 && !dollar) || isAmount(keys, named)) return null;
  return { variable: named ?? 'state', keys };
}

/** The value at a path, or null when there is none. */
export function followMappingPath(path: MappingPath, scope: ExpressionScope): JsonValue {
  return followKeys(scope[path.variable] ?? null, path.keys);
}

/** The same from a value on. */
export function followKeys(root: JsonValue, keys: MappingPath['keys']): JsonValue {
  let value = root;
  for (const key of keys) {
    const isPosition = Array.isArray(value) && /^\d+$/.test(String(key));
    value = member(value, isPosition ? Number(key) : key) ?? null;
  }
  return value;
}

function readKeys(text: string): (string | number)[] | null {
  const keys: (string | number)[] = [];
  const pattern = new RegExp(KEY);
  while (pattern.lastIndex < text.length) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) return null;
    const { name, digits, index, double, single } = groups;
    keys.push(index === undefined ? (name ?? digits ?? double ?? single ?? '') : Number(index));
  }
  return keys;
}

/** `$.50` is an amount of money, not a path to the key 50. */
function isAmount(keys: readonly (string | number)[], named: string | undefined): boolean {
  return named === undefined && keys.length === 1 && /^\d+$/.test(String(keys[0]));
}
