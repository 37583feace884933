import { isJsonObject, type JsonValue } from '../json.ts';

/**
 * The patch that puts a value in the place of an earlier one. A merge patch (RFC 7396) merges objects,
 * so the members that are gone have to be named; members that are null are left out, which reads the
 * same.
 */
export function replaceInPatch(earlier: JsonValue, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const before = isJsonObject(earlier) ? earlier : {};
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(value, key));
  return {
    ...Object.fromEntries(gone.map((key) => [key, null])),
    ...Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        replaceInPatch(Object.hasOwn(before, key) ? (before[key] ?? null) : null, member),
      ]),
    ),
  };
}
