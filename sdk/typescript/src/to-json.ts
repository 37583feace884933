/*
 * The SDK records and sends values as JSON. `JSON.stringify` throws for some values and silently changes
 * others: NaN becomes null, a Map becomes {}. Here both are problems that name their place.
 *
 * As in JSON.stringify, `toJSON` counts, members that are undefined are left out, and undefined in an
 * array is null. A class instance gives its own members, an Error also its name and its message.
 */

export type JsonReading =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Copies a value as a reader of its JSON gets it. `name` begins the path in a problem. */
export function toJson(value: unknown, name: string): JsonReading {
  try {
    return { ok: true, value: copyAt({ parent: null, key: name, value, level: 0 }) };
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, problem: error.message };
    return { ok: false, problem: `${name} throws ${String(error)} when it is read` };
  }
}

class NotJson extends Error {}

/** A value and the way to it. */
interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
  readonly value: unknown;
  readonly level: number;
}

/** Far deeper than the runtime takes, and far from the end of the stack. */
const LEVELS_MAX = 500;

/** Advice for objects whose JSON would be `{}`, by their tags. */
const INSTEAD: Readonly<Record<string, string>> = {
  Map: 'use Object.fromEntries(map)',
  Set: 'use [...set]',
  WeakMap: 'leave it out',
  WeakSet: 'leave it out',
  WeakRef: 'leave it out',
  Promise: 'await it',
  RegExp: 'use its source',
  Generator: 'use [...generator]',
  AsyncGenerator: 'read its values first',
  Response: 'use await response.json()',
  Headers: 'use Object.fromEntries(headers)',
  FormData: 'use Object.fromEntries(data)',
  URLSearchParams: 'use Object.fromEntries(params)',
  Blob: 'store it as an artifact',
  File: 'store it as an artifact',
  ReadableStream: 'read it first',
};
const BYTES = 'use text in base64, or store it as an artifact';

function copyAt(place: Place): unknown {
  const { value } = place;
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'bigint') {
    if (value === null) return null;
    if (isInvalidDate(value)) throw problem(place, 'is an invalid Date; use null or text');
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === 'function') {
      const own: unknown = toJSON.call(value, String(place.key));
      return copyValue({ ...place, value: own });
    }
  }
  return copyValue(place);
}

function copyValue(place: Place): unknown {
  const { value } = place;
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return value;
      throw problem(place, `is ${value}; use null or text`);
    case 'bigint':
      throw problem(place, 'is a BigInt; use text or a number');
    case 'function':
    case 'symbol':
      throw problem(place, `is a ${typeof value}; leave it out`);
    case 'object':
      return value === null ? null : copyObject(place, value);
    default:
      return value;
  }
}

function copyObject(place: Place, value: object): unknown {
  if (place.level > LEVELS_MAX) throw problem(place, `is nested deeper than ${LEVELS_MAX} levels`);
  for (let above = place.parent; above !== null; above = above.parent) {
    if (above.value === value) throw problem(place, `is ${pathOf(above)} again; break the cycle`);
  }
  const within = (key: string | number, member: unknown): Place => ({
    parent: place,
    key,
    value: member,
    level: place.level + 1,
  });
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => copyAt(within(index, item)) ?? null);
  }
  const tag = tagOf(value);
  if (BOXED.has(tag)) return copyValue({ ...place, value: value.valueOf() });
  const instead = ArrayBuffer.isView(value) || tag.endsWith('ArrayBuffer') ? BYTES : INSTEAD[tag];
  if (instead !== undefined) throw problem(place, `is ${articleOf(tag)} ${tag}; ${instead}`);
  return Object.fromEntries(
    membersOf(value, tag).flatMap(([key, member]) => {
      const copy = copyAt(within(key, member));
      return copy === undefined ? [] : [[key, copy]];
    }),
  );
}

function membersOf(value: object, tag: string): readonly (readonly [string, unknown])[] {
  const own: readonly (readonly [string, unknown])[] = Object.entries(value);
  if (tag !== 'Error' && tag !== 'DOMException') return own;
  const { name, message } = value as Error;
  return [['name', name], ['message', message], ...own];
}

const BOXED: ReadonlySet<string> = new Set(['Number', 'String', 'Boolean', 'BigInt']);

/** `Map`, also of another realm; `Object` for plain objects and instances of most classes. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function articleOf(noun: string): string {
  return /^[AEI]/.test(noun) ? 'an' : 'a';
}

function isInvalidDate(value: unknown): boolean {
  return value instanceof Date && Number.isNaN(value.getTime());
}

function problem(place: Place, what: string): NotJson {
  return new NotJson(`${pathOf(place)} ${what}`);
}

/** `output.items[3].total`. */
function pathOf({ parent, key }: Place): string {
  if (parent === null) return String(key);
  const before = pathOf(parent);
  if (typeof key === 'number') return `${before}[${key}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `${before}[${JSON.stringify(key)}]`;
  return before === '' ? key : `${before}.${key}`;
}
