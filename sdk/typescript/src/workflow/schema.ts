import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

import type { JsonObject } from './json.ts';

/**
 * How a value is described. One of:
 *
 * - a schema of zod 4, or of another library that implements Standard Schema and Standard JSON Schema;
 * - `jsonSchema<T>(schema)`, a JSON Schema with the type that you say;
 * - `typeOnly<T>()`, a type that nothing checks at run time.
 *
 * The type of a value is the schema's input type: svc checks JSON against the schema, and does not transform it.
 */
export type Schema<T = unknown> = StandardSchemaV1<T> | JsonSchema<T>;

/** A JSON Schema, or none, and the type of the values that satisfy it. */
export interface JsonSchema<T = unknown> {
  readonly '~schema': JsonObject | undefined;
  /** Absent at run time. */
  readonly '~type'?: T;
}

/** The type of the values that a schema accepts. */
export type InferSchema<S> =
  S extends StandardSchemaV1<infer Input, unknown>
    ? Input
    : S extends JsonSchema<infer T>
      ? T
      : unknown;

/** A JSON Schema, with the type of the values that satisfy it: nothing compares the two. */
export function jsonSchema<T = unknown>(schema: JsonObject): JsonSchema<T> {
  return { '~schema': schema };
}

/** A type for the compiler only. The definition says nothing about it, so svc accepts any value. */
export function typeOnly<T>(): JsonSchema<T> {
  return { '~schema': undefined };
}

/** The JSON Schema of a schema; undefined if it is only a type. Throws if the library can't express it as JSON Schema. */
export function readSchema(schema: Schema | undefined, place: string): JsonObject | undefined {
  if (schema === undefined) return undefined;
  if ('~schema' in schema) return schema['~schema'];
  const standard = schema['~standard'];
  if (!convertsToJson(standard)) {
    throw new TypeError(
      `${place}: ${standard.vendor} does not implement Standard JSON Schema. Pass jsonSchema({…}) instead.`,
    );
  }
  const { $schema: _, ...rest } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return parseJson(rest, place);
}

function convertsToJson(
  standard: StandardSchemaV1.Props,
): standard is StandardSchemaV1.Props & StandardJSONSchemaV1.Props {
  return 'jsonSchema' in standard;
}

/** Copies a schema as JSON: a library may share its parts, or put values into it that are no JSON. */
function parseJson(value: Record<string, unknown>, place: string): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  if (isJsonObject(parsed)) return parsed;
  throw new TypeError(`${place}: the JSON Schema must be an object`);
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
