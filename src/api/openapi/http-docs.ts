import type { JsonObject } from '../../shared/domain/json.ts';
import {
  describeParameter,
  listFields,
  listOperations,
  nameType,
  readOpenApi,
  splitReplies,
  type Content,
  type ListedOperation,
  type Parameter,
  type Schema,
} from './reading.ts';

/** The API's reference in Markdown, made from its OpenAPI document. */
export function renderHttpDocs(document: JsonObject): string {
  return [
    '# HTTP API',
    'Made from `openapi.json`, which is made from the route list in `src/api/routes.ts`.',
    readOpenApi(document).info.description,
    'Every request but those marked "no token" carries `Authorization: Bearer <token>`. Operators ' +
      'of the tenant `default` may name another tenant in `X-Tenant-Id`; one that nobody has made gets ' +
      '404. `X-Request-Id` is taken from the request, or made, and returned with every answer.',
    'With `database.read_url`, a replica may answer lists. Such an answer has ' +
      '`X-Svc-Read-Staleness-Ms`: it contains all that was committed so many milliseconds ago. A ' +
      'request with `Cache-Control: no-cache` gets its answer from the primary.',
    ...listOperations(document).map(renderOperation),
  ].join('\n\n');
}

function renderOperation({ method, path, operation }: ListedOperation): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const isUpload = operation.requestBody?.content['*/*'] !== undefined;
  const { replies, errors } = splitReplies(operation);
  return [
    `## ${method.toUpperCase()} ${path}`,
    `${operation.summary}.`,
    operation.description,
    renderParameters(operation.parameters ?? []),
    body && `Body:\n\n${renderFields(body)}`,
    isUpload && 'Body: bytes of any type.',
    ...replies.map(({ status, content }) => renderReply(status, content)),
    `Errors: ${errors.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => {
    const { name, in: place, required, schema } = parameter;
    return row(`\`${name}\``, place, nameType(schema), required, describeParameter(parameter));
  });
  return [
    '| Parameter | In | Type | Required | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function renderReply(status: string, content: Content): string {
  if (content['*/*']) return `Answer ${status}: the bytes, of their type.`;
  const streamed = content['text/event-stream'] ? ', or `text/event-stream`' : '';
  const schema = content['application/json']?.schema ?? {};
  return `Answer ${status}${streamed}:\n\n${renderFields(schema)}`;
}

function renderFields(schema: Schema): string {
  const fields = listFields(schema);
  if (fields.length === 0) return 'A JSON object.';
  const rows = fields.map(({ path, type, required, description }) =>
    row(`\`${path}\``, type, required, description),
  );
  return ['| Field | Type | Required | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function row(...cells: readonly (string | boolean)[]): string {
  const texts = cells.map((cell) => (typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : cell));
  return `| ${texts.join(' | ')} |`;
}
