import type { JsonObject } from '../shared/domain/json.ts';

/** The API's reference in Markdown, made from its OpenAPI document. */
export function renderHttpDocs(document: JsonObject): string {
  const { info, paths } = document as unknown as OpenApi;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return [
    '# HTTP API',
    'Made from `openapi.json`, which is made from the route list in `src/api/routes.ts`.',
    info.description,
    'Every request but those marked "no token" carries `Authorization: Bearer <token>`. Operators ' +
      'of the tenant `default` may name another tenant in `X-Tenant-Id`. `X-Request-Id` is taken ' +
      'from the request, or made, and returned with every answer.',
    ...operations.map(renderOperation),
  ].join('\n\n');
}

interface OpenApi {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Content }>
  >;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
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

function renderOperation(params: {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}): string {
  const { method, path, operation } = params;
  const body = operation.requestBody?.content['application/json']?.schema;
  const replies = Object.entries(operation.responses);
  const errors = replies.filter(([, reply]) => isError(reply.content)).map(([status]) => status);
  return [
    `## ${method.toUpperCase()} ${path}`,
    `${operation.summary}.`,
    operation.description,
    renderParameters(operation.parameters ?? []),
    body && `Body:\n\n${renderFields(body)}`,
    ...replies
      .filter(([, reply]) => !isError(reply.content))
      .map(([status, { content }]) => renderReply(status, content)),
    `Errors: ${errors.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderParameters(parameters: NonNullable<Operation['parameters']>): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const notes = [
      description,
      schema.default !== undefined && `Default ${String(schema.default)}.`,
    ];
    return row(`\`${name}\``, place, nameType(schema), required, notes.filter(Boolean).join(' '));
  });
  return [
    '| Parameter | In | Type | Required | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function renderReply(status: string, content: Content): string {
  const streamed = content['text/event-stream'] ? ', or `text/event-stream`' : '';
  const schema = content['application/json']?.schema ?? {};
  return `Answer ${status}${streamed}:\n\n${renderFields(schema)}`;
}

function renderFields(schema: Schema): string {
  const rows = fieldsOf(schema, '');
  if (rows.length === 0) return 'A JSON object.';
  return ['| Field | Type | Required | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Fields of nested objects and of items follow their owner, with its path before them. */
function fieldsOf(schema: Schema, prefix: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ?? false;
    const own = row(`\`${path}\``, nameType(field), required, field.description ?? '');
    const items = field.items === undefined ? [] : fieldsOf(field.items, `${path}[].`);
    return [own, ...fieldsOf(field, `${path}.`), ...items];
  });
}

function nameType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameType).join(' or ');
  if (schema.items !== undefined) return `array of ${nameType(schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === 'date-time' ? 'timestamp' : type;
}

function row(...cells: readonly (string | boolean)[]): string {
  const texts = cells.map((cell) => (typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : cell));
  return `| ${texts.join(' | ')} |`;
}

function isError(content: Content): boolean {
  return content['application/json']?.schema.$ref !== undefined;
}
