import type { Artifact } from '../../domain/artifact.ts';
import { parseArtifactName } from '../../domain/artifact.ts';
import {
  isInlineReference,
  isReference,
  patchesOf,
  walkReferences,
  type InlineReference,
} from '../../domain/artifact-reference.ts';
import { patchValue } from '../../domain/execution/merge-patch.ts';
import type { TenantId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import { readArtifact } from './read-artifact.ts';

/** The most offloaded bytes that one answer contains; values beyond it stay references. */
export const RESOLVED_BYTES_MAX = 16 * 1024 * 1024;
/** Levels of the whole, far above what a request may hold: an upload may hold any number of them. */
const NESTED_MAX = 256;
/** The deepest nesting of contents in contents. */
const ROUNDS_MAX = 64;

/**
 * Restores values whose parts the engine has offloaded. References of clients stay, and so do those
 * whose artifact is missing or contains no JSON: only the engine creates references with `inline`,
 * but a tool's answer may look like one.
 */
export async function resolveReferences<const Values extends readonly JsonValue[]>(
  store: ArtifactStore,
  params: { readonly tenantId: TenantId; readonly values: Values; readonly bytesMax?: number },
): Promise<Values> {
  const { tenantId, values, bytesMax = RESOLVED_BYTES_MAX } = params;
  const contents = new Map<string, Content | null>();
  let leftToRead = bytesMax;
  // A content may hold references itself: it was large, and so was what it was made of.
  let found = hashesIn(values);
  for (let round = 0; found.length > 0 && round < ROUNDS_MAX; round += 1) {
    const read: JsonValue[] = [];
    const artifacts = await store.find({ tenantId, hashes: found });
    for (const hash of found) contents.set(hash, null);
    for (const artifact of artifacts) {
      if (artifact.size > leftToRead) continue;
      leftToRead -= artifact.size;
      const value = await readJson(store, tenantId, artifact);
      if (value === undefined) continue;
      contents.set(artifact.hash, { value, size: artifact.size });
      read.push(value);
    }
    found = hashesIn(read).filter((hash) => !contents.has(hash));
  }
  if (contents.size === 0) return values;
  const room = { left: bytesMax };
  const way: Way = { contents, room };
  return values.map((value) => substitute(value, way, 0)) as readonly JsonValue[] as Values;
}

interface Content {
  readonly value: JsonValue;
  readonly size: number;
}

function hashesIn(values: readonly JsonValue[]): readonly string[] {
  const hashes = new Set<string>();
  const note = (reference: JsonValue): void => {
    if (!isInlineReference(reference)) return;
    const hash = parseArtifactName(reference.$artifact);
    if (hash !== null) hashes.add(hash);
    for (const patch of patchesOf(reference)) walkReferences(patch, note);
  };
  for (const value of values) walkReferences(value, note);
  return [...hashes];
}

/** Undefined: it is no JSON, or none that could be walked. */
async function readJson(
  store: ArtifactStore,
  tenantId: TenantId,
  artifact: Artifact,
): Promise<JsonValue | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readArtifact(store, { tenantId, artifact })) chunks.push(chunk);
  try {
    const value = JSON.parse(Buffer.concat(chunks).toString()) as JsonValue;
    return levelsOf(value, NESTED_MAX) > NESTED_MAX ? undefined : value;
  } catch {
    return undefined;
  }
}

/** How deep a value is nested, told no further than one beyond `max`. */
function levelsOf(value: JsonValue, max: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (max <= 0) return 1;
  let deepest = 0;
  for (const member of Object.values(value) as readonly JsonValue[]) {
    deepest = Math.max(deepest, levelsOf(member, max - 1));
    if (deepest >= max) break;
  }
  return 1 + deepest;
}

interface Way {
  readonly contents: ReadonlyMap<string, Content | null>;
  /** One content may be referred to many times, and each time is written out. */
  readonly room: { left: number };
}

/** `level`: how deep the value stands in the whole. */
function substitute(value: JsonValue, way: Way, level: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isInlineReference(value)) return substituteReference(value, way, level);
  if (isReference(value)) return value;
  if (!isJsonObject(value)) return value.map((item) => substitute(item, way, level + 1));
  const members = Object.entries(value).map(([key, member]) => [
    key,
    substitute(member, way, level + 1),
  ]);
  return Object.fromEntries(members) as JsonObject;
}

function substituteReference(reference: InlineReference, way: Way, level: number): JsonValue {
  const { contents, room } = way;
  const content = contents.get(parseArtifactName(reference.$artifact) ?? '') ?? null;
  if (content === null || content.size > room.left) return reference;
  const whole = patchesOf(reference).reduce<JsonValue>(patchValue, content.value);
  const levelsLeft = NESTED_MAX - level;
  if (levelsOf(whole, levelsLeft) > levelsLeft) return reference;
  room.left -= content.size;
  return substitute(whole, way, level);
}
