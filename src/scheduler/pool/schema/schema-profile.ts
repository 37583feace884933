import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../shared/domain/json.ts';

/** Properties of a schema that affect how values are checked against it. */
export interface SchemaProfile {
  readonly text: string;
  /** Hash of the text. */
  readonly key: string;
  /**
   * The work of checking a value grows no faster than schema times value. Not so with patterns,
   * which may backtrack without end, with references, which multiply, and with `uniqueItems`, which
   * compares each with each.
   */
  readonly isLinear: boolean;
}

/** Kept with the schema object: definitions are cached, so the same object comes again and again. */
export function profileSchema(schema: JsonObject): SchemaProfile {
  const known = profiles.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const profile: SchemaProfile = {
    text,
    key: createHash('sha256').update(text).digest('base64'),
    isLinear: isLinear(schema),
  };
  profiles.set(schema, profile);
  return profile;
}

/**
 * Whether checking a value here, on the main thread, takes a few milliseconds at most, the first
 * compilation apart.
 */
export function isCheap(profile: SchemaProfile, value: JsonValue): boolean {
  if (!profile.isLinear || profile.text.length > SCHEMA_CHARS_MAX) return false;
  const valueMax = Math.min(VALUE_CHARS_MAX, WORK_MAX / profile.text.length);
  return isWithin(value, valueMax);
}

const profiles = new WeakMap<JsonObject, SchemaProfile>();

const SCHEMA_CHARS_MAX = 16 * 1024;
const VALUE_CHARS_MAX = 32 * 1024;
/** Characters of the schema times characters of the value. */
const WORK_MAX = 16 * 1024 * 1024;

const COSTLY_KEYWORDS = new Set([
  '$dynamicRef',
  '$recursiveRef',
  '$ref',
  'pattern',
  'patternProperties',
  'uniqueItems',
]);
/** Formats whose check is one pass over the text; other formats are patterns of all sorts. */
const LINEAR_FORMATS = new Set<unknown>([
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'ipv4',
  'time',
  'uuid',
]);

/** A property that is called like a costly keyword counts as one: that errs on the safe side. */
function isLinear(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, member]: [string, JsonValue]) =>
      !COSTLY_KEYWORDS.has(key) &&
      (key !== 'format' || typeof member !== 'string' || LINEAR_FORMATS.has(member)) &&
      isLinear(member),
  );
}

/** Whether the text of a value has about `max` characters or fewer; looks no further than that. */
function isWithin(value: JsonValue, max: number): boolean {
  let left = max;
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    left -= typeof next === 'string' ? next.length + 2 : 4;
    if (typeof next === 'object' && next !== null) {
      const members: readonly JsonValue[] = Object.values(next);
      if (!Array.isArray(next)) for (const key of Object.keys(next)) left -= key.length + 3;
      if (members.length > left) return false;
      for (const member of members) waiting.push(member);
    }
    if (left < 0) return false;
  }
  return true;
}
