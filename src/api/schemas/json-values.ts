import { z } from 'zod';

import { componentRef } from './component-ref.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';

/**
 * JSON that becomes part of a workflow's state. Two things are refused here and nowhere else:
 * numbers that JavaScript would silently round, and keys that would reach an object's prototype
 * once a patch is applied.
 */
export const userObject = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .superRefine(refuseUnsafe)
  .meta({ type: 'object', $ref: componentRef('StateObject') });

export const userValue = z
  .custom<JsonValue>((value) => value !== undefined && value !== null)
  .superRefine(refuseUnsafe)
  .meta({
    type: ['object', 'array', 'string', 'number', 'boolean'],
    $ref: componentRef('StateValue'),
    description: 'Any JSON value but null.',
  });

/** Any JSON value that the service answers with, null too. */
export const anyValue = z
  .custom<JsonValue>((value) => value !== undefined)
  .meta({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] });

/** JSON the service answers with, as it is kept. */
export const anyObject = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .meta({ type: 'object', additionalProperties: true });

export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

function refuseUnsafe(value: JsonValue, context: z.RefinementCtx): void {
  if (isSafe(value)) return;
  const problem = findUnsafe(value, '');
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
}

/** Most values are, so no pointer is made to their members. The depth was bounded before. */
function isSafe(value: JsonValue): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.includes(key) || !isSafe(member)) return false;
  }
  return true;
}

function findUnsafe(value: JsonValue, pointer: string): string | null {
  if (typeof value === 'number') {
    // 2^53 itself is refused too: 2^53 + 1 reads as the same number.
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER
      ? null
      : `holds a number beyond ±(2^53 − 1)${at(pointer)}, which would be rounded: send it as a string`;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.includes(key) && !Array.isArray(value)) {
      return `holds the key ${key}${at(pointer)}, which is not allowed`;
    }
    const problem = findUnsafe(member, `${pointer}/${key}`);
    if (problem !== null) return problem;
  }
  return null;
}

function at(pointer: string): string {
  return pointer === '' ? '' : ` at ${pointer}`;
}
