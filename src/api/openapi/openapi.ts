import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

import type { Access } from '../../shared/domain/access.ts';
import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import { NODE_KINDS } from '../../shared/nodes/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { STALENESS_HEADER } from '../handle-lagging.ts';
import { describedBy } from '../schemas/unchecked.ts';
import { describeTag } from './describe-tag.ts';
import { nameGoTypes } from './name-go-types.ts';
import { requestSchema, VALUE_COMPONENTS } from './request-schema.ts';
import { workflowComponents } from './workflow-components.ts';

/** The OpenAPI 3.1 document of a route list; its schemas are the ones that check the requests. */
export function buildOpenApi(params: {
  readonly routes: readonly Endpoint[];
  readonly version: string;
}): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const endpoint of params.routes) {
    const path = (paths[templateOf(endpoint.path)] ??= {});
    path[endpoint.method.toLowerCase()] = describeOperation(endpoint);
  }
  return nameGoTypes({
    openapi: '3.1.0',
    info: {
      title: 'svc HTTP API',
      version: params.version,
      description:
        'Durable execution of workflows. Unknown fields of a body are ignored, save where its ' +
        'schema allows no others, or where a start names nearly a rule or a time; null is the same as leaving a field out. Every error is JSON: `{"error": "<message>"}`.',
    },
    servers: [{ url: '/', description: 'The runtime that serves this document.' }],
    tags: tagsOf(params.routes),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...workflowComponents(NODE_KINDS),
        ...VALUE_COMPONENTS,
        Error: {
          type: 'object',
          properties: { error: { type: 'string' } },
          required: ['error'],
          additionalProperties: true,
        },
      },
    },
  });
}

/** `/executions/:id` as `/executions/{id}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The permitted callers, in words. */
export function describeAccess(access: Access): string {
  switch (access) {
    case 'open':
      return 'no token';
    case 'probe':
      return 'any token but a worker’s; none where `auth.open_ready` is set';
    case 'read':
      return 'any token but a worker’s';
    case 'fetch':
      return 'any token';
    case 'work':
      return 'worker, developer or operator';
    case 'approve':
      return 'developer or operator; a reviewer where `auth.reviewers_may_approve` is set';
    case 'write':
      return 'developer or operator';
    case 'operate':
      return 'operator';
  }
}

function describeOperation(endpoint: Endpoint): JsonObject {
  const parameters = [...parametersOf(endpoint, 'path'), ...parametersOf(endpoint, 'query')];
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint.path)],
    summary: endpoint.summary,
    description: [endpoint.note, `Access: ${describeAccess(endpoint.access)}.`]
      .filter(Boolean)
      .join('\n\n'),
    ...(endpoint.access === 'open' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...describeRequestBody(endpoint),
    responses: { ...describeReplies(endpoint), ...describeErrors(endpoint) },
  };
}

function describeRequestBody({ body, bodyMayBeAbsent, uploads }: Endpoint): JsonObject {
  if (uploads !== null) return { requestBody: { required: false, content: bytes('*/*', uploads) } };
  if (body === null) return {};
  return { requestBody: { required: !bodyMayBeAbsent, content: json(requestSchemaOf(body)) } };
}

function parametersOf(endpoint: Endpoint, place: 'path' | 'query'): readonly JsonObject[] {
  const declared = place === 'path' ? endpoint.params : endpoint.query;
  if (declared === null) return [];
  const { properties, required } = requestSchemaOf(declared) as {
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required?.includes(name) ?? false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function describeReplies(endpoint: Endpoint): JsonObject {
  const { downloads } = endpoint;
  if (downloads !== null) {
    return { 200: { description: 'OK', content: bytes('*/*', downloads) } };
  }
  const entries = Object.entries(endpoint.replies).map(([status, schema]) => {
    const streamed =
      endpoint.streams !== null && status === '200'
        ? { 'text/event-stream': { schema: { type: 'string', description: endpoint.streams } } }
        : {};
    const content = { ...json(schemaOf(schema)), ...streamed };
    const headers = endpoint.readsMayLag && status === '200' ? { headers: LAGGING_HEADERS } : {};
    return [status, { description: STATUS_CODES[status] ?? status, ...headers, content }];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const LAGGING_HEADERS: JsonObject = {
  [STALENESS_HEADER]: {
    description:
      'The answer comes from the replica of `database.read_url`, and has all that was committed so ' +
      'many milliseconds ago. Absent: the primary has answered.',
    schema: { type: 'integer', minimum: 0 },
  },
};

function describeErrors(endpoint: Endpoint): JsonObject {
  const statuses = errorStatuses(endpoint).filter((status) => !(status in endpoint.replies));
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: STATUS_CODES[status] ?? String(status),
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  );
}

/** The error statuses that follow from a route's declaration, and those that it lists. */
export function errorStatuses(endpoint: Endpoint): readonly number[] {
  const { access, body, query, errors, uploads } = endpoint;
  const takesBody = body !== null || uploads !== null;
  const statuses = [
    ...(takesBody || query !== null ? [400] : []),
    // 404: `X-Tenant-Id` may name a tenant that nobody has made.
    ...(access === 'open' ? [] : [401, 403, 404]),
    ...errors,
    ...(takesBody ? [413, 415] : []),
    ...(access === 'open' ? [] : [429]),
    500,
    503,
  ];
  return [...new Set(statuses)].toSorted((left, right) => left - right);
}

/** In the order of their first routes. */
function tagsOf(routes: readonly Endpoint[]): readonly JsonObject[] {
  const names = [...new Set(routes.map(({ path }) => tagOf(path)))];
  return names.map((name) => ({ name, description: describeTag(name) }));
}

/** The first part of a path that is no version. */
function tagOf(path: string): string {
  const name = path.replace(/^\/v\d+\//, '/').split('/')[1] ?? '';
  if (name === '') return 'health';
  return name.endsWith('.json') ? 'schemas' : name;
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

/** As OpenAPI 3.1 describes what is no JSON. */
function bytes(type: string, description: string): JsonObject {
  return { [type]: { schema: { type: 'string', format: 'binary', description } } };
}

/** As the sender sees it: before defaults and transformations. */
export function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: completeSchema,
  });
  return rest as JsonObject;
}

/** With the rules for every request. */
function requestSchemaOf(schema: z.ZodType): JsonObject {
  return requestSchema(schemaOf(schema));
}

function completeSchema({ zodSchema, jsonSchema }: Parameters<JsonSchemaOverride>[0]): void {
  // zod leaves out a default told in `meta` where the value is transformed, as in a query.
  const { default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
  if (fallback !== undefined) jsonSchema.default = fallback;
  const described = describedBy(zodSchema);
  if (described !== undefined) Object.assign(jsonSchema, schemaOf(described));
}

type JsonSchemaOverride = NonNullable<
  NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']
>;
