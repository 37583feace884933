import test from 'ava';

import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import { parseHttpTool, type HttpTool } from '../../../../src/shared/domain/tools/http-tool.ts';
import {
  renderRequest,
  type Rendered,
} from '../../../../src/shared/domain/tools/render-request.ts';

const SECRETS: Readonly<Record<string, string>> = {
  SVC_SECRET_SHOP: 's3cret/key',
  SVC_SECRET_BROKEN: 'line\r\nx-evil: 1',
};

const URL_VALUES: readonly (readonly [value: JsonValue, path: string])[] = [
  ['42', '/orders/42/lines'],
  [42, '/orders/42/lines'],
  [true, '/orders/true/lines'],
  ['a/b', '/orders/a%2Fb/lines'],
  ['a?b=c', '/orders/a%3Fb%3Dc/lines'],
  ['a#b', '/orders/a%23b/lines'],
  ['@evil.example', '/orders/%40evil.example/lines'],
  ['//evil.example', '/orders/%2F%2Fevil.example/lines'],
  ['https://evil.example', '/orders/https%3A%2F%2Fevil.example/lines'],
  ['a\r\nx-evil: 1', '/orders/a%0D%0Ax-evil%3A%201/lines'],
  ['a\\b', '/orders/a%5Cb/lines'],
  ['a%2e%2e', '/orders/a%252e%252e/lines'],
  ['%2e%2e', '/orders/%252e%252e/lines'],
  ['..%2f..', '/orders/..%252f../lines'],
  ['ä ö', '/orders/%C3%A4%20%C3%B6/lines'],
  ['${secret:SVC_SECRET_SHOP}', '/orders/%24%7Bsecret%3ASVC_SECRET_SHOP%7D/lines'],
  ['{{state.token}}', '/orders/%7B%7Bstate.token%7D%7D/lines'],
];

for (const [id, path] of URL_VALUES) {
  test(`${JSON.stringify(id)} stays one segment of the path`, (t) => {
    const request = render({ reference: 'https://shop.example/orders/{id}/lines' }, { id });
    t.is(request.url, `https://shop.example${path}`);
  });
}

for (const id of ['', '.', '..', '../admin', 'a/../../b', '..\\admin', '/..', 'a/.', null]) {
  test(`${JSON.stringify(id)} would make another address, and is refused`, (t) => {
    const rendered = tryRender({ reference: 'https://shop.example/orders/{id}/lines' }, { id });
    t.like(rendered, { ok: false, errorClass: 'invalid_input' });
    t.regex(rendered.ok ? '' : rendered.error, /^\{id\} (is empty|has \. or \.\. in it)/);
  });
}

test('two values cannot make a step up together', (t) => {
  const fields = { reference: 'https://shop.example/orders/{a}{b}/x' };
  t.is(render(fields, { a: 'x', b: 'y' }).url, 'https://shop.example/orders/xy/x');
  const prefixed = { reference: 'https://shop.example/orders/.{a}/x' };
  t.is(render(prefixed, { a: 'x' }).url, 'https://shop.example/orders/.x/x');
  t.like(tryRender(prefixed, { a: '.' }), { ok: false, errorClass: 'invalid_input' });
});

test('a value of the query stays one value', (t) => {
  const request = render(
    { reference: 'https://shop.example/find?q={q}&limit=5' },
    { q: 'a&b=c#d+e' },
  );
  t.is(request.url, 'https://shop.example/find?q=a%26b%3Dc%23d%2Be&limit=5');
  const empty = render({ reference: 'https://shop.example/find?q={q}' }, { q: null });
  t.is(empty.url, 'https://shop.example/find?q=');
});

test('places take paths below the input, paths of the state and expressions', (t) => {
  const reference =
    'https://shop.example/{user.id}/{state.region}/{{input.n + 1}}?x={{state.region + "!"}}';
  const request = render({ reference }, { user: { id: 'u1' }, n: 1 });
  t.is(request.url, 'https://shop.example/u1/eu/2?x=eu!');
});

test('a list, an object and a lone surrogate are no text', (t) => {
  for (const id of [['a'], { a: 1 }, '\ud800']) {
    const rendered = tryRender({ reference: 'https://shop.example/{id}' }, { id });
    t.like(rendered, { ok: false, errorClass: 'invalid_input' });
  }
});

test('an address that grows too long is refused', (t) => {
  const rendered = tryRender({ reference: 'https://shop.example/{id}' }, { id: 'x'.repeat(3000) });
  t.like(rendered, { ok: false, error: 'the address is longer than 2048 characters' });
});

test('a header takes text and no line break', (t) => {
  const fields = {
    reference: 'https://shop.example/',
    headers: {
      'X-Region': '$.region',
      Authorization: 'Bearer ${secret:SVC_SECRET_SHOP}',
      'x-n': 1,
    },
  };
  t.deepEqual(render(fields, {}).headers, {
    'x-region': 'eu',
    authorization: 'Bearer s3cret/key',
    'x-n': '1',
  });
  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\0', 'ä', '\u2028']) {
    const rendered = tryRender(
      { reference: 'https://shop.example/', headers: { 'x-a': '{{input.a}}' } },
      { a: value },
    );
    t.like(rendered, { ok: false, errorClass: 'invalid_input' });
  }
});

test('a secret that no header can carry is refused without being told', (t) => {
  const rendered = tryRender(
    { reference: 'https://shop.example/', headers: { 'x-a': '${secret:SVC_SECRET_BROKEN}' } },
    {},
  );
  t.is(
    rendered.ok ? '' : rendered.error,
    'secret SVC_SECRET_BROKEN has characters that the header x-a cannot carry',
  );
});

test('a secret that may not be read is the outcome', (t) => {
  const fields = { reference: 'https://shop.example/?key=${secret:SVC_ENCRYPTION_KEY}' };
  t.deepEqual(tryRender(fields, {}), {
    ok: false,
    error: 'SVC_ENCRYPTION_KEY is refused',
    errorClass: 'unauthorized',
  });
});

test('where a secret goes decides whether redirects may lead away', (t) => {
  const secret = '${secret:SVC_SECRET_SHOP}';
  const travels = (fields: JsonObject) => render(fields, {}).secretTravels;
  const reference = 'https://shop.example/';
  t.false(travels({ reference }));
  t.false(travels({ reference, headers: { 'x-api-key': secret } }));
  t.true(travels({ reference, headers: { 'User-Agent': secret } }));
  t.true(travels({ reference: `${reference}?key=${secret}` }));
  t.true(travels({ reference: `${reference}${secret}` }));
  t.true(travels({ reference, body: { key: secret } }));
  t.true(travels({ reference, body: `key=${secret}` }));
});

test('a body is put together as JSON, and values cannot change its structure', (t) => {
  const body = {
    id: '$input.id',
    note: 'order {{input.id}} of {{state.region}}',
    amount: { expr: 'input.n * 2' },
    typed: '{{input.n}}',
    key: 'k ${secret:SVC_SECRET_SHOP}',
    plain: '{not a place}',
    list: ['{{input.n}}', 'x'],
    literal: { literal: { expr: 'as it is' } },
  };
  const request = render({ reference: 'https://shop.example/', body }, { id: '","x":"', n: 2 });
  t.is(request.headers['content-type'], 'application/json');
  t.deepEqual(JSON.parse(request.body ?? ''), {
    id: '","x":"',
    note: 'order ","x":" of eu',
    amount: 4,
    typed: 2,
    key: 'k s3cret/key',
    plain: '{not a place}',
    list: [2, 'x'],
    literal: { expr: 'as it is' },
  });
});

test('JSON written as text is JSON with places, not text with holes', (t) => {
  const body = '{"note": "{{input.note}}"}';
  const request = render({ reference: 'https://shop.example/', body }, { note: '"}, {"' });
  t.deepEqual(JSON.parse(request.body ?? ''), { note: '"}, {"' });
  const problems = problemsOf({ reference: 'https://shop.example/', body: '{"n": {{input.n}}}' });
  t.regex(problems[0] ?? '', /^\/body: looks like JSON with values put into it/);
});

test('text is sent as text, a path as what it leads to, and else the input', (t) => {
  const reference = 'https://shop.example/';
  const text = render({ reference, method: 'PUT', body: 'n={{input.n}}' }, { n: 1 });
  t.deepEqual([text.body, text.headers['content-type']], ['n=1', 'text/plain; charset=utf-8']);
  const path = render({ reference, body: '$input.order' }, { order: [1] });
  t.deepEqual([path.body, path.headers['content-type']], ['[1]', 'application/json']);
  const input = render({ reference, method: 'PATCH' }, { a: 1 });
  t.is(input.body, '{"a":1}');
  t.is(render({ reference, method: 'DELETE' }, { a: 1 }).body, null);
  t.is(render({ reference }, { a: 1 }).body, null);
});

test('an author’s content type wins', (t) => {
  const request = render(
    {
      reference: 'https://shop.example/',
      body: 'a=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    {},
  );
  t.deepEqual(request.headers, { 'content-type': 'application/x-www-form-urlencoded' });
});

test('a value that a request repeats makes no request without bound', (t) => {
  const input = { text: 'x'.repeat(1_000_000) };
  const places = Array.from({ length: 20 }, () => '{{input.text}}');
  for (const body of [
    `all: ${places.join(' ')}`,
    { list: places.map((place) => `${place}!`) },
    { list: places },
    { list: places.map(() => '$input.text') },
  ]) {
    const fields = { reference: 'https://shop.example/', method: 'POST', body };
    t.like(tryRender(fields, input), { ok: false, errorClass: 'invalid_input' });
  }
});

const REFUSED: readonly (readonly [JsonObject, RegExp])[] = [
  [{ reference: '{url}' }, /^\/reference: must begin with http/],
  [{ reference: 'https://{host}/x' }, /^\/reference: must begin with http/],
  [{ reference: 'https://shop.example{path}' }, /^\/reference: must begin with http/],
  [{ reference: 'https://shop.example:{port}/' }, /^\/reference: must begin with http/],
  [{ reference: 'https://user:pw@shop.example/' }, /^\/reference: must begin with http/],
  [{ reference: 'https://${secret:A}@shop.example/' }, /^\/reference: must begin with http/],
  [{ reference: 'ftp://shop.example/' }, /^\/reference: must begin with http/],
  [{ url: '//shop.example/' }, /^\/url: must begin with http/],
  [{ reference: 'https://shop.example/#{id}' }, /^\/reference: has a fragment/],
  [{ reference: 'https://shop.example/a/../b' }, /^\/reference: has a path with/],
  [{ reference: 'https://shop.example/a/%2E%2e/b' }, /^\/reference: has a path with/],
  [{ reference: 'https://shop.example/\\evil' }, /^\/reference: has a control character/],
  [{ reference: 'https://shop.example/a\nb' }, /^\/reference: has a control character/],
  [{ reference: 'https://shop.example/{id' }, /^\/reference: has a brace without/],
  [{ reference: 'https://shop.example/{a b}' }, /^\/reference: \{a b\} is not a path/],
  [{ reference: 'https://shop.example/{}' }, /^\/reference: \{\} is not a path/],
  [{ reference: 'https://shop.example/${id}' }, /^\/reference: names a secret as/],
  [{ reference: 'https://shop.example/{{1 +}}' }, /^\/reference: .*syntax error/],
  [{ reference: 'https://shop.example/?k=${secret:a b}' }, /^\/reference: \$\{secret:…\} needs/],
  [{ reference: 'https://a.example/', method: 'TRACE' }, /^\/method: must be one of GET/],
  [{ reference: 'https://a.example/', method: 'GET', body: {} }, /^\/body: is not sent with GET/],
  [{ reference: 'https://a.example/', headers: [] }, /^\/headers: must be an object/],
  [
    { reference: 'https://a.example/', headers: { 'a b': 'x' } },
    /^\/headers\/a b: is not the name/,
  ],
  [{ reference: 'https://a.example/', headers: { Host: 'x' } }, /^\/headers\/Host: is set by/],
  [{ reference: 'https://a.example/', headers: { a: 'x\ny' } }, /^\/headers\/a: has characters/],
  [{ reference: 'https://a.example/', headers: { a: {} } }, /^\/headers\/a: must be text/],
  [
    { reference: 'https://a.example/', headers: { 'X-A': '1', 'x-a': '2' } },
    /^\/headers\/x-a: is given/,
  ],
  [{ reference: 'https://a.example/', body: { a: ['{{)}}'] } }, /^\/body\/a\/0: .*syntax error/],
  [{ reference: 'https://a.example/', timeout_secs: 0 }, /^\/timeout_secs: must be seconds/],
  [{ reference: 'https://a.example/', timeout_secs: 3601 }, /^\/timeout_secs: must be seconds/],
  [{ reference: 'https://a.example/', response_bytes_max: 0 }, /^\/response_bytes_max: must be/],
  [
    { reference: 'https://a.example/', response_mapping: { expr: '(' } },
    /^\/response_mapping\/expr/,
  ],
];

for (const [fields, problem] of REFUSED) {
  test(`refused: ${JSON.stringify(fields)}`, (t) => {
    const problems = problemsOf(fields);
    t.is(problems.length, 1);
    t.regex(problems[0] ?? '', problem);
  });
}

function tryRender(fields: JsonObject, input: JsonValue): Rendered {
  return renderRequest({
    tool: toolOf(fields),
    input,
    scope: { state: { region: 'eu' }, output: null, input: {}, execution: {} },
    readSecret(name) {
      const value = SECRETS[name];
      if (value !== undefined) return { ok: true, value };
      return { ok: false, problem: `${name} is refused` };
    },
  });
}

function render(fields: JsonObject, input: JsonValue) {
  const rendered = tryRender(fields, input);
  if (!rendered.ok) throw new Error(rendered.error);
  return rendered.request;
}

function toolOf(fields: JsonObject): HttpTool {
  const tool = parseHttpTool(fields, (pointer, message) => {
    throw new Error(`${pointer}: ${message}`);
  });
  if (tool === null) throw new Error('no tool');
  return tool;
}

function problemsOf(fields: JsonObject): readonly string[] {
  const problems: string[] = [];
  parseHttpTool(fields, (pointer, message) => problems.push(`${pointer}: ${message}`));
  return problems;
}
