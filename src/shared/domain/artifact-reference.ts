import { artifactName } from './artifact.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/*
 * A value of an output or of the state may be a reference to an artifact in its place:
 *
 *     {"$artifact": "sha256:<64 hex>", "size": 10485760, "content_type": "text/csv"}
 *
 * One made by the engine stands for a JSON value that was too large for the hot path. It has
 * `"inline": true`: whoever reads gets the value itself. Patches of that value which came later wait
 * in `patches`, oldest first, since the fold of the events cannot look into an artifact.
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
 * The merge patch that does what `first` and then `then` do. Null: there is none, since where `first`
 * sets a member and `then` patches it, the member would be merged into what was there before.
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

/** An object in a merge patch says what is to be merged; anything else is set. */
function isInstruction(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && !isReference(value);
}

export function patchesOf(reference: InlineReference): readonly JsonObject[] {
  const { patches } = reference;
  return Array.isArray(patches) ? patches.filter(isJsonObject) : [];
}

/**
 * The hashes that stand in JSON with a reference in it, whatever they are of: rather too many than
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
