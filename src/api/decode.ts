import { z } from 'zod';

import { badRequest } from '../shared/domain/errors.ts';
import type { JsonObject } from '../shared/domain/json.ts';
import { nearestName } from '../shared/domain/nearest-name.ts';
import { compileReader, REFUSED, type Reader } from './compile-reader.ts';
import type { Endpoint } from './endpoint.ts';

const ISSUES_MAX = 10;

/**
 * Reads one part of a request through its schema, or throws the 400 that says all that is wrong. `at`:
 * the place of the part, for messages.
 */
export function decode(
  schema: z.ZodType,
  value: unknown,
  at: readonly PropertyKey[] = [],
): unknown {
  const read = readerOf(schema)(value);
  if (read !== REFUSED) return read;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const words = result.error.issues
    .slice(0, ISSUES_MAX)
    .map((issue) =>
      issue.code === 'unrecognized_keys'
        ? describeUnknown(issue, schema)
        : describe(issue, { at, root: value }),
    );
  throw badRequest(words.join('; '));
}

/** Reads the body of an endpoint's request; of an endpoint without one, an empty object. */
export function decodeBody(
  { body, inspectBody }: Pick<Endpoint, 'body' | 'inspectBody'>,
  given: JsonObject,
): unknown {
  const decoded = body === null ? {} : decode(body, given);
  inspectBody?.(given);
  return decoded;
}

/** One for each schema of the routes. */
const readers = new WeakMap<z.ZodType, Reader>();

function readerOf(schema: z.ZodType): Reader {
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const reader = compileReader(schema);
  readers.set(schema, reader);
  return reader;
}

/** `/nmae is unknown, did you mean "name"?`: a JSON pointer, as names may hold anything. */
function describeUnknown(issue: z.core.$ZodIssueUnrecognizedKeys, schema: z.ZodType): string {
  const known = membersAt(schema, issue.path);
  const words = issue.keys.slice(0, ISSUES_MAX).map((key) => {
    const pointer = [...issue.path, key].map((part) => `/${escape(String(part))}`).join('');
    const meant = nearestName(key, known);
    if (meant !== null) return `${pointer} is unknown, did you mean ${JSON.stringify(meant)}?`;
    if (key === 'tenant_id' || key === 'tenant') {
      return `${pointer} is unknown, the header X-Tenant-Id names the tenant`;
    }
    return `${pointer} is unknown, known are ${known.join(', ')}`;
  });
  return words.join('; ');
}

/** RFC 6901, of a name that is not too long to be read. */
function escape(name: string): string {
  return name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1');
}

const NAME_CHARACTERS_MAX = 64;

/** The names that an object within the schema knows. */
function membersAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const inner = unwrap(schema);
  const [first, ...rest] = path;
  if (inner instanceof z.ZodArray && first !== undefined) return membersAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(inner.shape);
  return membersAt(Reflect.get(inner.shape, first), rest);
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

/** `lease_fence must be a positive integer`: the path, then a message that continues it. */
function describe(
  issue: z.core.$ZodIssue,
  { at, root }: { readonly at: readonly PropertyKey[]; readonly root: unknown },
): string {
  const place = [...at, ...issue.path].map(shorten).join('.');
  return [place, phrase(issue, valueAt(root, issue.path))].filter(Boolean).join(' ');
}

/** A part of a path; a name that the caller chose may be too long to be read. */
function shorten(part: PropertyKey): string {
  const name = String(part);
  return name.length > PART_CHARACTERS_MAX
    ? `${name.slice(0, PART_CHARACTERS_MAX).toWellFormed()}…`
    : name;
}

/** Names that may be kept, such as those of labels, stay whole. */
const PART_CHARACTERS_MAX = 128;

function phrase(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is required';
  if (issue.code === 'invalid_type' && !issue.message.startsWith(OWN_WORDS)) return issue.message;
  if (value === null && !NAMES_ITS_FAULT.has(issue.code)) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values.map(String))}`;
  if (issue.code === 'invalid_union') return phraseOfKinds(issue);
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return tellBound(issue.message);
}

/** These say more of a null than that it is one. */
const NAMES_ITS_FAULT: ReadonlySet<string> = new Set(['custom', 'invalid_key']);

/** The library's own message, where a schema has none for a value of another type. */
const OWN_WORDS = 'Invalid input';

/** `must be a string or a number`: a value of another kind than those that a union takes. */
function phraseOfKinds({ errors, message }: z.core.$ZodIssueInvalidUnion): string {
  const kinds = errors
    .flat()
    .flatMap((issue) => (issue.code === 'invalid_type' ? [withArticle(issue.expected)] : []));
  return kinds.length === 0 ? message : `must be ${oneOf([...new Set(kinds)])}`;
}

/** The library's own words for a value outside its bounds. */
const BOUNDED = /^Too (?:small|big): expected \w+ to (be|have) ([<>]=?)\s?(.+)$/;

/** `Too small: expected number to be >=1` → `must be at least 1`; any other message stays. */
function tellBound(message: string): string {
  return message.replace(
    BOUNDED,
    (_, verb: string, sign: string, bound: string) => `must ${verb} ${SIGNS[sign]} ${bound}`,
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

function withArticle(expected: string): string {
  if (expected === 'int') return 'an integer';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function oneOf(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(Boolean).join(' or ');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    root,
  );
}
