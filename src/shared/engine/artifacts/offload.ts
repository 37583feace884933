import { createHash } from 'node:crypto';

import {
  inlineReference,
  isReference,
  type InlineReference,
} from '../../domain/artifact-reference.ts';
import type { NodeCompletedPayload } from '../../domain/execution/event-payloads.ts';
import type { TenantId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { LookedInto } from './looked-into.ts';
import { writeArtifact } from './write-artifact.ts';

/*
 * Large values leave the hot path before the commit: their JSON is written as an artifact and a
 * reference replaces them, so events, snapshots and rows stay small. Artifacts are addressed by
 * their hash, so a repetition after a crash or a refused commit writes nothing new, and at worst
 * leaves an unreferenced artifact.
 *
 * The largest parts go first, and only as many as necessary. The parts of an object are its
 * members, so that conditions still see the small ones; if no single member is large, and for any
 * other output, the whole value goes. A state patch is a merge patch, whose objects are
 * instructions and not values: only its texts and lists go. Values that expressions of the workflow
 * look into stay, however large, because expressions cannot look into an artifact.
 */

/** The most JSON of an event that a result may take. */
export const INLINE_BYTES_MAX = 64 * 1024;
/** A part smaller than this is not worth a reference. */
const PART_BYTES_MIN = 1024;
/** The length of a reference that replaces a part. */
const REFERENCE_BYTES = 160;
const PATCH_LEVELS_MAX = 8;

/** How a workflow uses the results of one of its nodes. */
export interface ResultUse {
  readonly outputKey: string | null;
  readonly looks: LookedInto;
}

export interface OffloadDeps {
  readonly store: { readonly artifacts: ArtifactStore };
  readonly ids: Ids;
}

/** The same result with references in place of large values. */
export async function offloadResult(
  deps: OffloadDeps,
  of: {
    readonly tenantId: TenantId;
    readonly result: NodeCompletedPayload;
    readonly use: ResultUse;
  },
): Promise<NodeCompletedPayload> {
  const { tenantId, result, use } = of;
  const parts = chooseParts(result, use);
  if (parts.length === 0) return result;
  return replaceParts(result, use, await writeParts(deps, tenantId, parts));
}

export function isLarge(json: string): boolean {
  // Each UTF-16 unit takes one to three bytes: most texts are judged by their length alone.
  if (json.length <= INLINE_BYTES_MAX / 3) return false;
  return json.length > INLINE_BYTES_MAX || Buffer.byteLength(json) > INLINE_BYTES_MAX;
}

interface Part {
  readonly value: JsonValue;
  readonly json: Buffer;
}

function chooseParts(payload: NodeCompletedPayload, use: ResultUse): readonly Part[] {
  const { output, state_patch: patch = {} } = payload;
  const { keys } = use.looks;
  const atoms = atomsOf(patch, use.looks, 1).map(partOf);
  const members = isSeenWhole(use) ? [] : membersOf(output).filter(([key]) => !keys.has(key));
  const whole = partOf(output);
  const total = whole.json.length + Buffer.byteLength(JSON.stringify(patch));
  const apart = takeLargest([...members.map(([, member]) => partOf(member)), ...atoms], total);
  if (apart.left <= INLINE_BYTES_MAX || !mayGoWhole(output, use)) return apart.chosen;
  return takeLargest([whole, ...atoms], total).chosen;
}

function membersOf(output: JsonValue): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(output) && !isReference(output) ? Object.entries(output) : [];
}

/** Then all that is in an output stays, too: it may be made into text, or compared. */
function isSeenWhole({ outputKey, looks }: ResultUse): boolean {
  if (looks.outputItself || looks.stateItself) return true;
  return outputKey !== null && looks.ends.has(outputKey);
}

function mayGoWhole(output: JsonValue, use: ResultUse): boolean {
  const { outputKey, looks } = use;
  if (isReference(output) || isSeenWhole(use)) return false;
  if (outputKey !== null && looks.keys.has(outputKey)) return false;
  return !membersOf(output).some(([key]) => looks.keys.has(key));
}

function takeLargest(
  parts: readonly Part[],
  total: number,
): { readonly chosen: readonly Part[]; readonly left: number } {
  const chosen: Part[] = [];
  let left = total;
  for (const part of parts.toSorted((one, other) => other.json.length - one.json.length)) {
    if (left <= INLINE_BYTES_MAX || part.json.length < PART_BYTES_MIN) break;
    chosen.push(part);
    left -= part.json.length - REFERENCE_BYTES;
  }
  return { chosen, left };
}

function partOf(value: JsonValue): Part {
  return { value, json: Buffer.from(JSON.stringify(value)) };
}

/** The values that a merge patch sets as a whole. */
function atomsOf(patch: JsonObject, looks: LookedInto, level: number): readonly JsonValue[] {
  if (isReference(patch) || looks.stateItself || level > PATCH_LEVELS_MAX) return [];
  return Object.entries(patch).flatMap(([key, member]) => {
    if (!isJsonObject(member)) return looks.keys.has(key) ? [] : [member];
    return looks.ends.has(key) ? [] : atomsOf(member, looks, level + 1);
  });
}

/** By value: of texts their equals are meant too. */
type References = ReadonlyMap<JsonValue, InlineReference>;

async function writeParts(
  deps: OffloadDeps,
  tenantId: TenantId,
  parts: readonly Part[],
): Promise<References> {
  const { artifacts } = deps.store;
  const hashes = parts.map(({ json }) => createHash('sha256').update(json).digest('hex'));
  const found = await artifacts.hold({ tenantId, hashes });
  const known = new Set(found.map(({ hash }) => hash));
  const references = new Map<JsonValue, InlineReference>();
  for (const [index, { value, json }] of parts.entries()) {
    const hash = hashes[index] ?? '';
    if (!known.has(hash)) {
      await writeArtifact(
        { store: artifacts, ids: deps.ids },
        {
          tenantId,
          contentType: 'application/json',
          content: [json],
          bytesMax: json.length,
          actorId: null,
        },
      );
    }
    references.set(value, inlineReference({ hash, size: json.length }));
  }
  return references;
}

function replaceParts(
  payload: NodeCompletedPayload,
  use: ResultUse,
  references: References,
): NodeCompletedPayload {
  const { output, state_patch: patch } = payload;
  const { looks } = use;
  const whole = mayGoWhole(output, use) ? references.get(output) : undefined;
  return {
    ...payload,
    output: whole ?? (isSeenWhole(use) ? output : replaceMembers(output, looks, references)),
    ...(patch !== undefined && { state_patch: replaceAtoms(patch, looks, references) }),
  };
}

function replaceMembers(output: JsonValue, looks: LookedInto, references: References): JsonValue {
  if (!isJsonObject(output) || isReference(output)) return output;
  return mapMembers(output, (key, member) =>
    looks.keys.has(key) ? member : (references.get(member) ?? member),
  );
}

function replaceAtoms(patch: JsonObject, looks: LookedInto, references: References): JsonObject {
  if (isReference(patch) || looks.stateItself) return patch;
  return mapMembers(patch, (key, member) => {
    if (!isJsonObject(member)) {
      return looks.keys.has(key) ? member : (references.get(member) ?? member);
    }
    return looks.ends.has(key) ? member : replaceAtoms(member, looks, references);
  });
}

function mapMembers(
  value: JsonObject,
  change: (key: string, member: JsonValue) => JsonValue,
): JsonObject {
  const members = Object.entries(value).map(([key, member]) => [key, change(key, member)]);
  return Object.fromEntries(members) as JsonObject;
}
