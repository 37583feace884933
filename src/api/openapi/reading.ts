import type { JsonObject } from '../../shared/domain/json.ts';
import { componentName } from '../schemas/component-ref.ts';

/** As much of an OpenAPI document as the pages made from it read. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Content }>
  >;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface ListedOperation {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** All operations, in the order of the document. */
export function listOperations(document: JsonObject): readonly ListedOperation[] {
  return Object.entries(readOpenApi(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** The document has been made by `buildOpenApi`. */
export function readOpenApi(document: JsonObject): OpenApi {
  return document as unknown as OpenApi;
}

export interface Field {
  /** `waiting_on[].node_id` */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** Fields of nested objects and of items follow their owner, with its path before them. */
export function listFields(schema: Schema, prefix = ''): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ?? false;
    const own = { path, type: nameType(field), required, description: field.description ?? '' };
    const items = field.items === undefined ? [] : listFields(field.items, `${path}[].`);
    return [own, ...listFields(field, `${path}.`), ...items];
  });
}

export function nameType(schema: Schema): string {
  if (schema.$ref !== undefined) return componentName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameType).join(' or ');
  if (schema.items !== undefined) return `array of ${nameType(schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === 'date-time' ? 'timestamp' : type;
}

/** The meaning of a parameter, and its default. */
export function describeParameter({ description, schema }: Parameter): string {
  const fallback = schema.default === undefined ? '' : `Default ${String(schema.default)}.`;
  return [description, fallback].filter(Boolean).join(' ');
}

export function splitReplies(operation: Operation): {
  readonly replies: readonly { readonly status: string; readonly content: Content }[];
  /** Statuses that carry `{error}`. */
  readonly errors: readonly string[];
} {
  const all = Object.entries(operation.responses).map(([status, { content }]) => ({
    status,
    content,
  }));
  const isError = ({ content }: { readonly content: Content }) =>
    content['application/json']?.schema.$ref !== undefined;
  return {
    replies: all.filter((reply) => !isError(reply)),
    errors: all.filter(isError).map(({ status }) => status),
  };
}
