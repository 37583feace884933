import type { JsonValue } from '../../../src/shared/domain/json.ts';

/** A few lines of a terminal. */
const CHARACTERS_MAX = 500;

/** For terminals: the value with long texts cut, and their lengths. */
export function shortenTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return value.map(shortenTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenTexts(member)]),
  );
}

function shorten(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text;
  return `${text.slice(0, CHARACTERS_MAX)}… (${text.length} characters; -o json prints all)`;
}
