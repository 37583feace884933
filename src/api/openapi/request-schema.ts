import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import { componentRef } from '../schemas/component-ref.ts';
import { FORBIDDEN_KEYS } from '../schemas/json-values.ts';

/**
 * The schema of what is sent, with the rules that hold for all of it: text and keys hold no U+0000,
 * also in fields that nothing reads. Lone surrogates are refused too; no pattern can say so.
 */
export function requestSchema(schema: JsonObject): JsonObject {
  return addRules(schema);
}

const STORABLE = '^[^\\u0000]*$';
const KEYS = { propertyNames: { pattern: STORABLE } };
const ANY = { $ref: componentRef('AnyJson') };
const STATE = { $ref: componentRef('StateJson') };

/** Values that the rules refer to. */
export const VALUE_COMPONENTS: JsonObject = {
  AnyJson: {
    description: 'Any JSON whose text and keys hold no U+0000.',
    pattern: STORABLE,
    items: ANY,
    ...KEYS,
    additionalProperties: ANY,
  },
  StateJson: {
    description:
      'JSON that becomes part of a state: no U+0000, no numbers that would be rounded, and no keys ' +
      'that would reach the prototype of an object.',
    ...stateRules(),
  },
  StateValue: {
    description: 'As `StateJson`, and not null.',
    type: ['boolean', 'number', 'string', 'array', 'object'],
    ...stateRules(),
  },
  StateObject: {
    description: 'As `StateJson`, and an object.',
    type: 'object',
    propertyNames: stateKeys(),
    additionalProperties: STATE,
  },
};

function stateRules(): JsonObject {
  return {
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    pattern: STORABLE,
    items: STATE,
    propertyNames: stateKeys(),
    additionalProperties: STATE,
  };
}

function stateKeys(): JsonObject {
  return { pattern: STORABLE, not: { enum: [...FORBIDDEN_KEYS] } };
}

function addRules(schema: JsonObject): JsonObject {
  if (schema['$ref'] !== undefined) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, addBelow(key, value)]),
  );
  return { ...inner, ...textRules(inner), ...objectRules(inner) };
}

/** Conditions such as `oneOf: [{required}]` describe no value of their own. */
function addBelow(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isJsonObject(value)) {
    const fields = Object.entries(value);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, isJsonObject(field) ? addRules(field) : field]),
    );
  }
  if (key === 'anyOf' && Array.isArray(value)) {
    return value.map((form: JsonValue) => (isForm(form) ? addRules(form) : form));
  }
  const isSchema = (key === 'items' || key === 'additionalProperties') && isJsonObject(value);
  return isSchema ? addRules(value) : value;
}

function isForm(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && value['required'] === undefined;
}

function textRules(schema: JsonObject): JsonObject {
  const isText = typesOf(schema).includes('string');
  const isTold = ['pattern', 'format', 'enum', 'const'].some((rule) => rule in schema);
  return isText && !isTold ? { pattern: STORABLE } : {};
}

function objectRules(schema: JsonObject): JsonObject {
  if (!typesOf(schema).includes('object')) return {};
  const others = schema['additionalProperties'] ?? true;
  return others === true ? { ...KEYS, additionalProperties: ANY } : {};
}

function typesOf({ type }: JsonObject): readonly JsonValue[] {
  return type === undefined ? [] : [type].flat();
}
