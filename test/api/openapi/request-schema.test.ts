import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { buildOpenApi, templateOf } from '../../../src/api/openapi/openapi.ts';
import { routes } from '../../../src/api/routes.ts';

/* The document and the code require the same of requests. */

const document = buildOpenApi({ routes, version: '1' });
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

function at(...keys: readonly string[]): string {
  return `api#${keys.map((key) => `/${key.replaceAll('/', '~1')}`).join('')}`;
}

function takesBody(path: string, method: string, body: JsonValue): boolean {
  const schema = at('paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
  return ajv.validate({ $ref: schema }, body);
}

function takesQuery(path: string, name: string, value: JsonValue): boolean {
  const { parameters } = operation(path, 'get');
  const list = parameters as readonly { name: string; schema: JsonObject }[];
  return ajv.validate(list.find((one) => one.name === name)?.schema ?? false, value);
}

function operation(path: string, method: string): JsonObject {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  return paths[path]?.[method] ?? {};
}

const START = { workflow_id: 'w', input: {} };

for (const [title, body] of Object.entries<JsonValue>({
  'U+0000 in an id': { ...START, workflow_id: 'a\0' },
  'U+0000 in a value of the input': { ...START, input: { a: ['\0'] } },
  'U+0000 in a key of the input': { ...START, input: { 'a\0': 1 } },
  'U+0000 in a field that nothing reads': { ...START, note: { a: '\0' } },
  'U+0000 in the name of a field': { ...START, 'a\0': 1 },
  'a number beyond 2^53': { ...START, input: { a: { b: 2 ** 53 } } },
  'a key that reaches the prototype': { ...START, input: { a: [{ constructor: 1 }] } },
  'an input of null': { ...START, input: null },
})) {
  test(`not in the document: ${title}`, (t) => t.false(takesBody('/executions', 'post', body)));
}

test('ignored members may be any number', (t) => {
  t.true(takesBody('/executions', 'post', { ...START, note: 1e300 }));
});

test('an event carries something', (t) => {
  const path = '/executions/{id}/external-event';
  t.false(takesBody(path, 'post', { correlation_key: 'k', payload: null }));
  for (const payload of ['a', 0, false, [], {}]) {
    t.true(takesBody(path, 'post', { correlation_key: 'k', payload }));
  }
});

test('instants are days that exist', (t) => {
  for (const known of ['2026-11-21', '2024-02-29', '2000-02-29', '2026-11-21T10:14:00.123+02:00']) {
    t.true(takesQuery('/executions', 'created_after', known), known);
  }
  for (const none of [
    '',
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-01-01T24:00Z',
  ]) {
    t.false(takesQuery('/executions', 'created_after', none), none);
  }
});

test('cursors and offsets have their bounds', (t) => {
  t.false(takesQuery('/executions', 'cursor', ''));
  t.true(takesQuery('/executions', 'offset', Number.MAX_SAFE_INTEGER));
  t.false(takesQuery('/executions', 'offset', 2 ** 53));
});

test('exactly one of two, and one of three', (t) => {
  const forget = (body: JsonObject) =>
    takesBody('/v1/memory/forget', 'post', { reason: 'r', ...body });
  t.true(forget({ id: 'a' }));
  t.true(forget({ id: 'a', end_user_id: null }));
  t.false(forget({}));
  t.false(forget({ id: null }));
  t.false(forget({ id: 'a', end_user_id: 'b' }));
  t.true(takesBody('/retention/policies', 'put', { failed_days: 3 }));
  t.false(takesBody('/retention/policies', 'put', { failed_days: null }));
});

test('a schedule has either a cron expression or an interval', (t) => {
  const create = (body: JsonObject) =>
    takesBody('/schedules', 'post', { name: 's', workflow_id: 'w', ...body });
  t.true(create({ every: '15m' }));
  t.false(create({}));
  t.false(create({ every: '15m', cron_expression: '@daily' }));
});

test('a claim names a queue that is worked outside', (t) => {
  const claim = (...names: string[]) =>
    takesBody('/work-items/claim', 'post', { worker_id: 'w', queue_types: names });
  t.true(claim('python_tool', 'newer'));
  t.false(claim('newer'));
});

test('a card has a name that says something, and null is the same as nothing', (t) => {
  t.true(takesBody('/agents', 'post', { name: 'A', id: null, uri: null, capabilities: null }));
  for (const name of ['', ' ', null]) t.false(takesBody('/agents', 'post', { name }));
  t.false(takesBody('/agents', 'post', { name: 'A', id: '' }));
  const short = { name: 'A', auth: 'none', capabilities: { skills: ['translate'] } };
  t.true(takesBody('/agents', 'post', short));
  t.false(takesBody('/agents', 'post', { ...short, auth: 'magic' }));
});

test('an execution in another state is listed as 400', (t) => {
  for (const name of ['cancel', 'pause', 'resume', 'retry', 'approve']) {
    const { responses } = operation(`/executions/{id}/${name}`, 'post');
    t.true(isJsonObject(responses) && '400' in responses, name);
  }
});

test('lists that a replica may answer declare how far they are behind, and no other answer does', (t) => {
  const declaring = routes.filter((endpoint) => {
    const { path, method } = endpoint;
    const { responses } = operation(templateOf(path), method.toLowerCase());
    return JSON.stringify(responses).includes('"X-Svc-Read-Staleness-Ms":');
  });
  const lagging = routes.filter(({ readsMayLag }) => readsMayLag);
  t.true(lagging.some(({ path }) => path === '/executions'));
  t.deepEqual(
    declaring.map(({ name }) => name),
    lagging.map(({ name }) => name),
  );
});

test('the document says where it is served, and what its tags are about', (t) => {
  t.deepEqual(document['servers'], [
    { url: '/', description: 'The runtime that serves this document.' },
  ]);
  const described = (document['tags'] as readonly { name: string }[]).map(({ name }) => name);
  const used = Object.values(document['paths'] as Readonly<Record<string, JsonObject>>)
    .flatMap((methods) => Object.values(methods))
    .flatMap((one) => (one as JsonObject)['tags'] as string);
  t.deepEqual([...new Set(used)], described);
});

test('a definition is described by schemas with names', (t) => {
  const register = { ir: { workflow_id: 'w', nodes: { a: { kind: 'python_fn', module: 'm' } } } };
  t.true(takesBody('/workflows', 'post', register));
  t.true(takesBody('/workflows', 'post', { ir: { ...register.ir, anything: 1 } }));
  t.false(takesBody('/workflows', 'post', { ir: { nodes: {} } }));
  t.false(
    takesBody('/workflows', 'post', { ir: { workflow_id: 'w', nodes: { a: { kind: 'pas' } } } }),
  );
});
