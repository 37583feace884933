import type { JsonValue } from '../../shared/domain/json.ts';
import type { Schema } from '../openapi/reading.ts';

/** The least JSON that a schema lets through, more or less: a place to start typing. */
export function sampleOf(schema: Schema): JsonValue {
  if (schema.const !== undefined) return schema.const as JsonValue;
  if (schema.enum !== undefined) return (schema.enum[0] ?? null) as JsonValue;
  if (schema.properties === undefined && schema.anyOf?.[0] !== undefined)
    return sampleOf(schema.anyOf[0]);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items)];
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'string':
      return '';
    default:
      return {};
  }
}

function sampleObject({ properties = {}, required = [] }: Schema): JsonValue {
  const fields = required.flatMap((name) => {
    const field = properties[name];
    return field === undefined ? [] : [[name, sampleOf(field)]];
  });
  return Object.fromEntries(fields) as JsonValue;
}
