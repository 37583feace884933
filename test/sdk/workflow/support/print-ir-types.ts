import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src/shared/domain/json.ts';

const HEAD = `/*
 * Generated from docs/workflow.schema.json:
 * UPDATE_DOCS=1 npm test -- test/sdk/workflow/ir-types.test.ts
 */

import type { JsonObject, JsonValue } from './json.ts';
`;

/** Names that are unclear outside a definition, or that the builder already uses. */
const named = (definition: string) => `${definition}Ir`;

/**
 * Prints the TypeScript types of a definition from its JSON Schema. It omits null, which means
 * absent.
 */
export function printIrTypes(schema: JsonObject): string {
  const definitions = Object.entries(schema['$defs'] ?? {}).filter(
    ([name]) => !/.Node$/.test(name) && name !== 'Node',
  );
  const kinds = definitions.map(([name]) => name).filter((name) => name.endsWith('Kind'));
  const node = readDefinition(schema, 'LimitExceededNode');
  return [
    HEAD,
    ...definitions.map(([name, definition]) =>
      declare(name, withoutCommon(name, definition, node)),
    ),
    `/** A node, in the long form that the builder writes. */`,
    `export type NodeIr = { readonly kind: ${kinds.map(named).join(' | ')} } & ${printMembers(node, NOT_OF_NODES)};`,
    '',
  ].join('\n');
}

/** Fields of the short forms. */
const NOT_OF_NODES = ['kind', 'type', 'message', 'timeout_secs'];

/** A kind may also contain the fields of every node; the long form has them beside the kind. */
function withoutCommon(name: string, definition: JsonValue, node: JsonObject): JsonValue {
  if (!name.endsWith('Kind') || !isJsonObject(definition)) return definition;
  const common = Object.entries(node['properties'] ?? {}).map((field) => JSON.stringify(field));
  const own = Object.entries(definition['properties'] ?? {}).filter(
    (field) => !common.includes(JSON.stringify(field)),
  );
  return { ...definition, properties: Object.fromEntries(own) };
}

function declare(name: string, definition: JsonValue): string {
  const description = isJsonObject(definition) ? definition['description'] : null;
  return `${comment(description)}export type ${named(name)} = ${print(definition)};\n`;
}

function print(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return 'JsonValue';
  const reference = schema['$ref'];
  if (typeof reference === 'string') return named(reference.replace('#/$defs/', ''));
  if (Array.isArray(schema['anyOf'])) return union(schema['anyOf'].filter(isPresent).map(print));
  if (Array.isArray(schema['enum'])) {
    return union(
      schema['enum'].filter((word) => word !== null).map((word) => JSON.stringify(word)),
    );
  }
  const types = [schema['type'] ?? []].flat().filter((type) => type !== 'null');
  return types.length === 0 ? 'JsonValue' : union(types.map((type) => printType(type, schema)));
}

function printType(type: JsonValue, schema: JsonObject): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${print(schema['items'])})[]`;
    case 'object':
      return printObject(schema);
    default:
      return typeof type === 'string' ? type : 'JsonValue';
  }
}

function printObject(schema: JsonObject): string {
  if (isJsonObject(schema['properties'])) return printMembers(schema, []);
  const members = schema['additionalProperties'];
  return isJsonObject(members) ? `Readonly<Record<string, ${print(members)}>>` : 'JsonObject';
}

function printMembers(schema: JsonObject, without: readonly string[]): string {
  const required = [schema['required'] ?? []].flat();
  const members = Object.entries(schema['properties'] ?? {})
    .filter(([name]) => !without.includes(name))
    .map(([name, member]) => {
      const description = isJsonObject(member) ? member['description'] : null;
      const mark = required.includes(name) ? '' : '?';
      return `${comment(description)}readonly ${name}${mark}: ${print(member)};`;
    });
  return `{\n${members.join('\n')}\n}`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'JsonValue';
}

function isPresent(schema: JsonValue): boolean {
  return !(isJsonObject(schema) && schema['type'] === 'null');
}

function comment(description: JsonValue | undefined): string {
  return typeof description === 'string' ? `/** ${description} */\n` : '';
}

function readDefinition(schema: JsonObject, name: string): JsonObject {
  const definitions = schema['$defs'];
  const found = isJsonObject(definitions) ? definitions[name] : null;
  if (isJsonObject(found)) return found;
  throw new Error(`the schema defines no ${name}`);
}
