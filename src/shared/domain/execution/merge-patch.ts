import { isInlineReference, isReference, withPatch } from '../artifact-reference.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * RFC 7396 JSON Merge Patch of an object by an object. Shares every untouched part with `target`,
 * so that keeping older states costs only what changed. A reference to an artifact is one value
 * that is never patched inside: a patch of an offloaded value is stored beside its reference.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isJsonObject(value) && !isReference(value)) {
      const present = Object.hasOwn(target, key) ? target[key] : undefined;
      result[key] = patchValue(present ?? null, value);
    } else result[key] = value;
  }
  return result;
}

/** A member is patched like the whole; anything but an object counts as an empty one. */
export function patchValue(present: JsonValue, patch: JsonObject): JsonObject {
  if (isInlineReference(present)) return withPatch(present, patch);
  return mergePatch(isJsonObject(present) && !isReference(present) ? present : {}, patch);
}
