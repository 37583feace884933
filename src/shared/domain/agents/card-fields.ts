import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/** Ids, names and labels: short enough for an index and a log line. */
export const NAME_BYTES_MAX = 512;

/** A part of a card that is being read: where it stands, and what was found wrong so far. */
export interface CardPart {
  readonly source: JsonObject;
  /** Path of the part, with a dot at its end; empty for the card itself. */
  readonly path: string;
  readonly problems: string[];
}

/** Null says the same as leaving the field out. `fallback` null: the field is required. */
export function readText(
  part: CardPart,
  key: string,
  options: { readonly fallback: string | null; readonly bytesMax?: number },
): string {
  const { fallback, bytesMax = NAME_BYTES_MAX } = options;
  const value = part.source[key] ?? fallback;
  if (value === null) return complain(part, key, { problem: 'is required', instead: '' });
  if (typeof value !== 'string')
    return complain(part, key, { problem: 'must be a string', instead: '' });
  if (value.trim() === '' && fallback !== '')
    return complain(part, key, { problem: 'must not be empty', instead: '' });
  if (Buffer.byteLength(value) > bytesMax) {
    return complain(part, key, { problem: `must be at most ${bytesMax} bytes`, instead: '' });
  }
  return value;
}

export function readTexts(part: CardPart, key: string, itemsMax: number): readonly string[] {
  const list = readList(part, key, itemsMax);
  const nested = Object.fromEntries(list.map((value, index) => [index, value]));
  const items: CardPart = { ...part, source: nested, path: `${part.path}${key}.` };
  return list.map((_, index) => readText(items, String(index), { fallback: null }));
}

export function readList(part: CardPart, key: string, itemsMax: number): readonly JsonValue[] {
  const value = part.source[key] ?? [];
  if (!Array.isArray(value))
    return complain(part, key, { problem: 'must be an array', instead: [] });
  if (value.length > itemsMax)
    return complain(part, key, { problem: `must have at most ${itemsMax} items`, instead: [] });
  return value as readonly JsonValue[];
}

export function readObject(part: CardPart, key: string): JsonObject {
  const value = part.source[key] ?? {};
  return isJsonObject(value)
    ? value
    : complain(part, key, { problem: 'must be an object', instead: {} });
}

export function readChoice<const Choice extends string>(
  part: CardPart,
  key: string,
  options: { readonly choices: readonly Choice[]; readonly fallback: NoInfer<Choice> },
): Choice {
  const { choices, fallback } = options;
  const value = part.source[key] ?? fallback;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const named = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return complain(part, key, { problem: `must be ${named}`, instead: fallback });
}

/** Records a problem and returns a substitute, so that reading continues. */
export function complain<Value>(
  part: CardPart,
  key: string,
  { problem, instead }: { readonly problem: string; readonly instead: Value },
): Value {
  part.problems.push(`${part.path}${key} ${problem}`);
  return instead;
}
