import { isJsonObject, type JsonValue } from './json.ts';

/** Whether two JSON values are equal; the order of members does not matter. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (isJsonObject(one) && isJsonObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
    );
  }
  if (!isArray(one) || !isArray(other)) return false;
  return one.length === other.length && one.every((item, at) => isSameJson(item, other[at]));
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
