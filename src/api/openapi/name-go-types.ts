import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';

/** oapi-codegen reads these; other readers ignore members that begin with `x-`. */
const ANY = { 'x-go-type': 'any', 'x-go-type-skip-optional-pointer': true };
/** Components for values of every type name none: one with null would make each of them a pointer. */
const OF_EVERY_TYPE: ReadonlySet<string> = new Set(['AnyJson', 'StateJson']);

/** Says which Go type has values of several JSON types: generators have no rule for them. */
export function nameGoTypes(document: JsonObject): JsonObject {
  return mapObject(document, '');
}

function mapObject(schema: JsonObject, name: string): JsonObject {
  const mapped = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, mapValue(value, key)]),
  );
  return hasSeveralTypes(schema) || OF_EVERY_TYPE.has(name) ? { ...mapped, ...ANY } : mapped;
}

function mapValue(value: JsonValue, name: string): JsonValue {
  if (Array.isArray(value)) return value.map((one) => mapValue(one, ''));
  return isJsonObject(value) ? mapObject(value, name) : value;
}

function hasSeveralTypes({ type }: JsonObject): boolean {
  return Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;
}
