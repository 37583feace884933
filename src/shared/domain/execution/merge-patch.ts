import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * RFC 7396 JSON Merge Patch of an object by an object. Shares every untouched part with `target`,
 * so that keeping older states costs only what changed.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isJsonObject(value)) {
      const present = Object.hasOwn(target, key) ? target[key] : undefined;
      result[key] = mergePatch(isJsonObject(present) ? present : {}, value);
    } else result[key] = value;
  }
  return result;
}
