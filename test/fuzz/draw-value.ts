import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import type { Dice } from '../simulation/dice.ts';

/** Draws from a fast-check arbitrary with these dice. */
export function drawFrom<Value>(dice: Dice, arbitrary: fc.Arbitrary<Value>): Value {
  const [value] = fc.sample(arbitrary, { seed: dice.between(0, 0x7fffffff), numRuns: 1 });
  return value as Value;
}

/** Draws a value that a JSON Schema of the document allows; often without optional members. */
export function drawValue(dice: Dice, schema: JsonObject): JsonValue {
  // In a schema with properties, `anyOf` only adds conditions.
  const branches = schema['anyOf'] as readonly JsonObject[] | undefined;
  if (branches !== undefined && schema['properties'] === undefined)
    return drawValue(dice, dice.pick(branches));
  if (schema['const'] !== undefined) return schema['const'];
  const listed = schema['enum'] as readonly JsonValue[] | undefined;
  if (listed !== undefined) return dice.pick(listed);
  const types = [schema['type'] ?? 'any'].flat() as readonly string[];
  switch (dice.pick(types)) {
    case 'null':
      return null;
    case 'boolean':
      return dice.chance(0.5);
    case 'integer':
    case 'number':
      return drawNumber(dice, schema);
    case 'string':
      return drawText(dice, schema);
    case 'array':
      return drawArray(dice, schema);
    case 'object':
      return drawObject(dice, schema);
    default:
      return drawJson(dice);
  }
}

/** JSON that may become part of a state. */
export function drawJson(dice: Dice): JsonValue {
  return drawFrom(dice, ANY_JSON);
}

const PLAIN_TEXT = fc.string({ maxLength: 12, unit: 'grapheme' });
const { json: ANY_JSON } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: false },
    fc.oneof(fc.boolean(), fc.constant(null), fc.integer(), PLAIN_TEXT.filter(isStorable)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(PLAIN_TEXT.filter(isKey), tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isKey(text: string): boolean {
  return isStorable(text) && !['__proto__', 'constructor', 'prototype'].includes(text);
}

function drawNumber(dice: Dice, schema: JsonObject): number {
  const min = (schema['minimum'] as number | undefined) ?? 0;
  const max = (schema['maximum'] as number | undefined) ?? min + 100;
  return dice.pick([min, max, dice.between(min, Math.min(max, min + 100))]);
}

function drawText(dice: Dice, schema: JsonObject): string {
  const pattern = schema['pattern'] as string | undefined;
  if (schema['format'] === 'uuid') return drawFrom(dice, fc.uuid({ version: 7 }));
  if (schema['format'] === 'date-time') return '2026-11-21T10:14:00.123Z';
  if (pattern !== undefined) return drawFrom(dice, matching(pattern));
  const min = (schema['minLength'] as number | undefined) ?? 0;
  return 'x'.repeat(min) + drawFrom(dice, PLAIN_TEXT.filter(isStorable));
}

function matching(pattern: string): fc.Arbitrary<string> {
  // fast-check doesn't support classes of Unicode properties.
  if (pattern.includes('\\p{')) return fc.constantFrom('nightly', 'a b', 'ä');
  return fc
    .stringMatching(new RegExp(pattern))
    .filter((text) => isStorable(text) && text.length < 100);
}

function drawArray(dice: Dice, schema: JsonObject): JsonValue {
  const items = (schema['items'] ?? {}) as JsonObject;
  const min = (schema['minItems'] as number | undefined) ?? 0;
  const length = dice.between(min, min + 2);
  return Array.from({ length }, () => drawValue(dice, items));
}

function drawObject(dice: Dice, schema: JsonObject): JsonObject {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const drawn = Object.entries(properties)
    .filter(([name]) => required.includes(name) || dice.chance(0.3))
    .map(([name, property]): [string, JsonValue] => [name, drawValue(dice, property)]);
  const isFree = Object.keys(properties).length === 0 && schema['additionalProperties'] === true;
  return isFree ? { [`k${dice.between(0, 9)}`]: drawJson(dice) } : Object.fromEntries(drawn);
}
