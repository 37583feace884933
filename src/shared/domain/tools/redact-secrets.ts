import { isJsonObject, type JsonValue } from '../json.ts';

/**
 * A value without the secrets that were sent for it: a service that repeats its request must not put
 * them into events and state, as they are or as an address or JSON spells them. Very short secrets are
 * left, since they are found everywhere.
 */
export function redactSecrets(value: JsonValue, secrets: ReadonlyMap<string, string>): JsonValue {
  const known = [...secrets].flatMap(([name, secret]) =>
    secret.length < CHARACTERS_MIN ? [] : spellings(secret).map((text) => [name, text] as const),
  );
  if (known.length === 0) return value;
  // The longest first, lest one that begins with another is left in part.
  known.sort(([, left], [, right]) => right.length - left.length);
  const clean = (text: string): string =>
    known.reduce((rest, [name, secret]) => rest.replaceAll(secret, `[secret ${name}]`), text);
  return redact(value, clean);
}

function spellings(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inForm = inUrl.replaceAll('%20', '+');
  return [...new Set([secret, inUrl, inForm, JSON.stringify(secret).slice(1, -1)])];
}

function redact(value: JsonValue, clean: (text: string) => string): JsonValue {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redact(item, clean));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [clean(key), redact(member, clean)]),
  );
}

const CHARACTERS_MIN = 6;
