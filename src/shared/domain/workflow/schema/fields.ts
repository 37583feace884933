import type { JsonObject, JsonValue } from '../../json.ts';

/** JSON Schema of one field. Every field may also be null, which is the same as leaving it out. */
export type FieldSchema = JsonObject;

/** Fields by name, in the order in which readers should see them. */
export type FieldSchemas = Readonly<Record<string, FieldSchema>>;

export function text(description: string): FieldSchema {
  return { description, type: ['string', 'null'] };
}

export function flag(description: string): FieldSchema {
  return { description, type: ['boolean', 'null'] };
}

export function number(
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number; readonly above?: number } = {},
): FieldSchema {
  return { description, type: ['number', 'null'], ...limits(bounds) };
}

export function wholeNumber(
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): FieldSchema {
  return { description, type: ['integer', 'null'], ...limits(bounds) };
}

export function word(description: string, words: readonly string[]): FieldSchema {
  return { description, enum: [...words, null] };
}

/** `name` is one of the definitions of `definitions.ts`. */
export function ref(name: string, description: string): FieldSchema {
  return { description, anyOf: [{ $ref: `#/$defs/${name}` }, { type: 'null' }] };
}

/** Any of several forms. */
export function anyOf(description: string, forms: readonly FieldSchema[]): FieldSchema {
  return { description, anyOf: [...forms, { type: 'null' }] };
}

export function list(description: string, items: FieldSchema): FieldSchema {
  return { description, type: ['array', 'null'], items };
}

/** An object with these fields and no others. */
export function object(
  description: string,
  properties: FieldSchemas,
  required: readonly string[] = [],
): FieldSchema {
  return {
    description,
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** An object of values by names that the author chooses. */
export function record(description: string, values: FieldSchema): FieldSchema {
  return { description, type: ['object', 'null'], additionalProperties: values };
}

/** Kept as it is, and without effect. */
export function anything(description: string): FieldSchema {
  return { description };
}

function limits({
  minimum,
  maximum,
  above,
}: {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly above?: number;
}): Readonly<Record<string, JsonValue>> {
  return {
    ...(minimum !== undefined ? { minimum } : {}),
    ...(maximum !== undefined ? { maximum } : {}),
    ...(above !== undefined ? { exclusiveMinimum: above } : {}),
  };
}
