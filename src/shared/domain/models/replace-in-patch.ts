import { isJsonObject, type JsonValue } from '../json.ts';

/**
 * The patch that replaces an earlier value with another. A merge patch (RFC 7396) merges objects,
 * so the patch must name removed members; null members are omitted, which reads the same.
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
