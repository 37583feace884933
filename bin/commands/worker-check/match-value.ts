import { isDeepStrictEqual } from 'node:util';

import type { Call } from './call-log.ts';
import type { Range } from './case-file.ts';

/*
 * Compares a member of a call with what a case expects: a value, `$fence`, `$key` and `$input` for those
 * of the item, `$text` for any, `$absent` for none, or an object with `$contains`, `$range` or `$has`.
 */

interface Given {
  readonly value: unknown;
  readonly call: Call;
  /** The input of the item. */
  readonly input: unknown;
}

export function matchesValue(expected: unknown, given: Given): boolean {
  const { value, call, input } = given;
  switch (expected) {
    case '$fence':
      return value === call.held?.fence;
    case '$key':
      return call.held !== null && value === (call.held.key ?? undefined);
    case '$input':
      return isDeepStrictEqual(value, input);
    case '$text':
      return typeof value === 'string' && value.trim() !== '';
    case '$absent':
      return value === undefined;
    default:
      return matchesPattern(expected, given) ?? matchesParts(expected, given);
  }
}

/** Null: it is no pattern. */
function matchesPattern(expected: unknown, given: Given): boolean | null {
  if (!isRecord(expected)) return null;
  const { value } = given;
  const { $contains: part, $range: range, $has: member } = expected;
  if (typeof part === 'string') return typeof value === 'string' && value.includes(part);
  if (range !== undefined) return typeof value === 'number' && isWithin(range as Range, value);
  if (member === undefined) return null;
  return (
    Array.isArray(value) && value.some((one) => matchesValue(member, { ...given, value: one }))
  );
}

function matchesParts(expected: unknown, given: Given): boolean {
  const { value } = given;
  if (!isRecord(expected)) return isDeepStrictEqual(value, expected);
  if (!isRecord(value)) return false;
  return Object.entries(expected).every(([name, part]) =>
    matchesValue(part, { ...given, value: value[name] }),
  );
}

export function isWithin({ min = -Infinity, max = Infinity }: Range, value: number): boolean {
  return value >= min && value <= max;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
