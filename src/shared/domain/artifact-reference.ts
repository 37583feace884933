import { artifactName } from './artifact.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/*
 * A value of an output or of the state may be replaced by a reference to an artifact:
 *
 *     {"$artifact": "sha256:<64 hex>", "size": 10485760, "content_type": "text/csv"}
 *
 * The engine's own references replace JSON values that are too large for the hot path. They have
 * `"inline": true`: readers get the value itself. Later patches of that value wait in `patches`,
 * oldest first, because the fold of the events cannot look into an artifact.
 */
export interface ArtifactReference extends JsonObject {
  readonly $artifact: string;
}

export interface InlineReference extends ArtifactReference {
  readonly inline: true;
}

export function isReference(value: JsonValue): value is ArtifactReference {
  return isJsonObject(value) && typeof value[REFERENCE_KEY] === 'string';
}

export function isInlineReference(value: JsonValue): value is InlineReference {
  return isReference(value) && value['inline'] === true;
}

/** Every reference begins with this key in JSON, so a text without it holds none. */
export const REFERENCE_KEY = '$artifact';

/** To the JSON of a value, `size` bytes. */
export function inlineReference(content: {
  readonly hash: string;
  readonly size: number;
}): InlineReference {
  return {
    [REFERENCE_KEY]: artifactName(content.hash),
    size: content.size,
    content_type: 'application/json',
    inline: true,
  };
}

/** Patches are joined where one can say what two do: a loop may patch the same value for ever. */
export function withPatch(reference: InlineReference, patch: JsonObject): InlineReference {
  const patches = patchesOf(reference);
  const last = patches.at(-1);
  const joined = last === undefined ? null : joinPatches(last, patch);
  return {
    ...reference,
    patches: joined === null ? [...patches, patch] : [...patches.slice(0, -1), joined],
  };
}

/**
 * The merge patch that equals `first` followed by `then`. Null: none exists, because if `first`
 * sets a member and `then` patches it, the combined patch would merge into the old member.
 */
function joinPatches(first: JsonObject, then: JsonObject): JsonObject | null {
  const joined: Record<string, JsonValue> = { ...first };
  for (const [key, value] of Object.entries(then)) {
    const before = Object.hasOwn(first, key) ? first[key] : undefined;
    if (!isInstruction(value) || before === undefined) {
      joined[key] = value;
      continue;
    }
    const member = isInstruction(before) ? joinPatches(before, value) : null;
    if (member === null) return null;
    joined[key] = member;
  }
  return joined;
}

/** A merge patch merges objects, and sets any other value. */
function isInstruction(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && !isReference(value);
}

export function patchesOf(reference: InlineReference): readonly JsonObject[] {
  const { patches } = reference;
  return Array.isArray(patches) ? patches.filter(isJsonObject) : [];
}

/**
 * All hashes in JSON that contains a reference, even those of other things: rather too many than
 * too few.
 */
export function artifactHashesIn(json: string): readonly string[] {
  if (!json.includes(REFERENCE_KEY)) return [];
  return [...new Set(json.match(/[0-9a-f]{64}/g) ?? [])];
}

/** Calls `visit` for every reference within a value, not looking into any. */
export function walkReferences(
  value: JsonValue,
  visit: (reference: ArtifactReference) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  if (isReference(value)) return visit(value);
  for (const part of Object.values(value)) walkReferences(part, visit);
}
