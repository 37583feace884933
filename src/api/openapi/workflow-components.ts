import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import {
  workflowDefinitions,
  type DescribedKind,
} from '../../shared/domain/workflow/schema/workflow-schema.ts';
import { componentRef } from '../schemas/component-ref.ts';

/**
 * The named schemas of workflow definitions for the OpenAPI document. Unlike the schema for editors
 * they let names pass that nothing reads, as the runtime does.
 */
export function workflowComponents(kinds: readonly DescribedKind[]): JsonObject {
  return Object.fromEntries(
    Object.entries(workflowDefinitions(kinds)).map(([name, schema]) => [name, openUp(schema)]),
  );
}

const REFERENCE = '#/$defs/';

function openUp(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(openUp);
  if (!isJsonObject(schema)) return schema;
  const { $ref: reference, ...rest } = schema;
  if (typeof reference === 'string')
    return { $ref: componentRef(reference.slice(REFERENCE.length)) };
  const kept = Object.entries(rest).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, openUp(value)]));
}
