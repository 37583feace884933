import { badRequest } from '../../shared/domain/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import { decode, decodeBody } from '../decode.ts';
import { schemaOf } from '../openapi/openapi.ts';
import type { McpTool } from './tools.ts';

/** The JSON Schema of a tool's arguments, made from the schemas that check them. */
export function describeArguments(tool: McpTool): JsonObject {
  const { endpoint, idArgument, headers = {}, defaults = {}, omits = [] } = tool;
  const parts = [endpoint.params, endpoint.query, endpoint.body].flatMap((schema) =>
    schema === null ? [] : [schemaOf(schema) as JsonObject & ObjectSchema],
  );
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  const nameOf = (field: string) => (field === 'id' ? (idArgument ?? field) : field);
  for (const part of parts) {
    for (const [field, schema] of Object.entries(part.properties)) {
      if (omits.includes(field)) continue;
      const fallback = defaults[field];
      properties[nameOf(field)] =
        fallback === undefined ? schema : { ...schema, default: fallback };
    }
    required.push(...(part.required ?? []).map(nameOf));
  }
  for (const [name, { about }] of Object.entries(headers)) {
    properties[name] = { type: 'string', description: about };
  }
  return { type: 'object', properties, required };
}

/** The JSON Schema of what a tool answers. */
export function describeAnswer(tool: McpTool): JsonObject {
  const [reply] = Object.entries(tool.endpoint.replies)
    .filter(([status]) => status.startsWith(String(tool.answers ?? 2)))
    .map(([, schema]) => schema);
  return reply === undefined ? { type: 'object' } : schemaOf(reply);
}

export interface ToolArguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The arguments as the parts of a request, checked by the endpoint's schemas; else a 400. */
export function readArguments(tool: McpTool, given: JsonObject): ToolArguments {
  const { endpoint } = tool;
  return {
    params: endpoint.params === null ? {} : decode(endpoint.params, readParams(tool, given)),
    query: endpoint.query === null ? {} : decode(endpoint.query, readQuery(tool, given)),
    body: decodeBody(endpoint, endpoint.body === null ? {} : readBody(tool, given)),
    headers: readHeaders(tool, given),
  };
}

function readParams({ idArgument = 'id' }: McpTool, given: JsonObject): JsonObject {
  return { id: readText(given, idArgument) ?? refuseMissing(idArgument) };
}

/** The arguments that belong to no other part. */
function readBody(
  { endpoint, idArgument = 'id', headers = {} }: McpTool,
  given: JsonObject,
): JsonObject {
  const others = new Set([
    ...Object.keys(endpoint.query?.shape ?? {}),
    ...Object.keys(headers),
    ...(endpoint.params === null ? [] : [idArgument]),
  ]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !others.has(name)));
}

/** A query holds text alone; in JSON, numbers are numbers and null is the same as nothing. */
function readQuery(
  { endpoint, defaults = {}, omits = [] }: McpTool,
  given: JsonObject,
): JsonObject {
  const entries = Object.keys(endpoint.query?.shape ?? {}).flatMap((name) => {
    if (omits.includes(name)) return [];
    const value = given[name] ?? defaults[name] ?? null;
    if (value === null) return [];
    return [[name, typeof value === 'number' ? String(value) : value]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function readHeaders({ headers = {} }: McpTool, given: JsonObject): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, { header }] of Object.entries(headers)) {
    const text = readText(given, name);
    if (text !== null) found.set(header.toLowerCase(), text);
  }
  return found;
}

function readText(given: JsonObject, name: string): string | null {
  const value = given[name] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw badRequest(`${name} must be a string`);
}

function refuseMissing(name: string): never {
  throw badRequest(`${name} is required`);
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}
