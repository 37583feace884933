import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

/** One difference of two states; `path` is a JSON Pointer. */
export interface StateChange {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  /** Null with `add`, and where the value is left out. */
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The values are too large for the answer. */
  readonly omitted: boolean;
}

export interface StateDifference {
  readonly changes: readonly StateChange[];
  /** There are more changes. */
  readonly truncated: boolean;
}

export interface DifferenceBounds {
  readonly changesMax: number;
  /** Characters of all values as JSON. */
  readonly charsMax: number;
}

/**
 * The changes that lead from one state to the other. Objects are compared member by member, all
 * else as a whole. Parts that both share are not looked into, so that the cost is that of the change.
 */
export function compareStates(
  before: JsonObject,
  after: JsonObject,
  { changesMax, charsMax }: DifferenceBounds,
): StateDifference {
  const changes: StateChange[] = [];
  let left = charsMax;
  for (const change of differences(before, after, '')) {
    if (changes.length === changesMax) return { changes, truncated: true };
    const chars = lengthOf(change.before) + lengthOf(change.after);
    const omitted = chars > left;
    if (!omitted) left -= chars;
    changes.push(omitted ? { ...change, before: null, after: null, omitted } : change);
  }
  return { changes, truncated: false };
}

function* differences(
  before: JsonObject,
  after: JsonObject,
  path: string,
): Generator<StateChange, void> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${path}/${escapePointer(key)}`;
    const [old, now] = [memberOf(before, key), memberOf(after, key)];
    if (old === now) continue;
    if (old === undefined) yield change('add', at, { after: now ?? null });
    else if (now === undefined) yield change('remove', at, { before: old });
    else if (isJsonObject(old) && isJsonObject(now)) yield* differences(old, now, at);
    else if (!areEqual(old, now)) yield change('replace', at, { before: old, after: now });
  }
}

function change(
  op: StateChange['op'],
  path: string,
  { before = null, after = null }: { readonly before?: JsonValue; readonly after?: JsonValue },
): StateChange {
  return { op, path, before, after, omitted: false };
}

function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function areEqual(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function lengthOf(value: JsonValue): number {
  return JSON.stringify(value).length;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
