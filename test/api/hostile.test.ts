import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import anyTest, { type TestFn } from 'ava';

import { exchange, headerOf } from '../support/exchange.ts';
import { rawCall } from './support/raw-call.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

/*
 * Requests that no well-behaved client sends. Each gets an answer of JSON `{error}` with a 4xx,
 * over a connection that is not reset, and the process continues to serve.
 */

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});

test.after.always(async (t) => {
  t.deepEqual(t.context.api.troubles, []);
  await t.context.api.close();
});

const BODIES: readonly (readonly [title: string, status: number, body: string | Uint8Array])[] = [
  ['400: JSON that ends too early', 400, '{"workflow_id": "w", "input": '],
  ['400: JSON with something after it', 400, '{} {}'],
  ['400: JSON with a comment', 400, '{/* */}'],
  ['400: JSON with a trailing comma', 400, '{"workflow_id": "w",}'],
  ['400: JSON with single quotes', 400, "{'workflow_id': 'w'}"],
  ['400: NaN', 400, '{"workflow_id": "w", "input": {"a": NaN}}'],
  ['400: a body of white space', 400, ' \n\t '],
  ['400: an array', 400, '[]'],
  ['400: a string', 400, '"workflow"'],
  ['400: null', 400, 'null'],
  ['400: only a byte order mark', 400, '\ufeff'],
  ['400: nested a thousand levels', 400, nested(1000)],
  ['400: nested 30 000 levels', 400, nested(30_000)],
  ['400: opening brackets without end', 400, '['.repeat(60_000)],
  ['400: __proto__ as a key of the body', 400, '{"workflow_id": "w", "__proto__": {"input": {}}}'],
  [
    '400: __proto__ deep in the input',
    400,
    '{"workflow_id": "w", "input": {"a": [{"__proto__": 1}]}}',
  ],
  [
    '400: __proto__ in escapes',
    400,
    '{"workflow_id": "w", "input": {"\\u005f_proto__": {"x": 1}}}',
  ],
  [
    '400: constructor as a key',
    400,
    '{"workflow_id": "w", "input": {"constructor": {"prototype": {}}}}',
  ],
  ['400: prototype as a key', 400, '{"workflow_id": "w", "input": {"a": {"prototype": 1}}}'],
  ['400: U+0000 in a value', 400, '{"workflow_id": "w", "input": {"a": "x\\u0000"}}'],
  ['400: U+0000 in a key', 400, '{"workflow_id": "w", "input": {"\\u0000": 1}}'],
  ['400: U+0000 as a byte', 400, '{"workflow_id": "w\0", "input": {}}'],
  ['400: a lone surrogate', 400, '{"workflow_id": "w", "input": {"a": "\\udc00\\ud800"}}'],
  [
    '400: a number that would be rounded',
    400,
    '{"workflow_id": "w", "input": {"n": 9007199254740993}}',
  ],
  ['400: a number beyond every double', 400, '{"workflow_id": "w", "input": {"n": -1e400}}'],
  [
    '400: bytes that are not UTF-8',
    400,
    bytes('{"workflow_id": "', [0xff, 0xfe], '", "input": {}}'),
  ],
  ['400: an overlong encoding', 400, bytes('{"workflow_id": "', [0xc0, 0x80], '", "input": {}}')],
  [
    '400: a surrogate as UTF-8',
    400,
    bytes('{"workflow_id": "', [0xed, 0xa0, 0x80], '", "input": {}}'),
  ],
  ['400: UTF-16', 400, Buffer.from('{"workflow_id": "w", "input": {}}', 'utf16le')],
  ['400: a workflow id of 513 bytes', 400, `{"workflow_id": "${'w'.repeat(513)}", "input": {}}`],
  [
    '404: duplicate keys, of which the last counts',
    404,
    '{"workflow_id": 1, "workflow_id": "w", "input": {}}',
  ],
  ['413: a body above the bound', 413, `{"workflow_id": "${'w'.repeat(70_000)}"}`],
  ['413: a body far above the bound', 413, 'x'.repeat(8_000_000)],
];

for (const [title, status, body] of BODIES) {
  test(title, async (t) => {
    const answer = await rawCall(t.context.api.port, [
      `${head(t.context.api)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      body,
    ]);
    t.is(answer.status, status);
    checkError(t, answer.body);
  });
  test(`${title}, in chunks`, async (t) => {
    const whole = Buffer.from(body);
    const half = Math.ceil(whole.length / 2);
    const answer = await rawCall(t.context.api.port, [
      `${head(t.context.api)}Transfer-Encoding: chunked\r\n\r\n`,
      ...[whole.subarray(0, half), whole.subarray(half)]
        .filter((part) => part.length > 0)
        .flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']),
      '0\r\n\r\n',
    ]);
    t.is(answer.status, status);
    checkError(t, answer.body);
  });
}

const HEADERS: readonly (readonly [
  title: string,
  status: number,
  headers: string,
  body: string,
])[] = [
  ['400: no body', 400, 'Content-Type: application/json', ''],
  ['400: an empty body', 400, 'Content-Type: application/json\r\nContent-Length: 0', ''],
  [
    '400: an empty chunked body',
    400,
    'Content-Type: application/json\r\nTransfer-Encoding: chunked',
    '0\r\n\r\n',
  ],
  ['415: no content type', 415, 'Content-Length: 2', '{}'],
  ['415: text', 415, 'Content-Type: text/plain\r\nContent-Length: 2', '{}'],
  [
    '415: a form',
    415,
    'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3',
    'a=b',
  ],
  [
    '415: multipart',
    415,
    'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 2',
    '{}',
  ],
  ['415: a content type that is none', 415, 'Content-Type: ;;;\r\nContent-Length: 2', '{}'],
  [
    '415: another charset',
    415,
    'Content-Type: application/json; charset=utf-16\r\nContent-Length: 2',
    '{}',
  ],
  [
    '415: a compressed body',
    415,
    'Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2',
    '{}',
  ],
  ['417: an unknown expectation', 417, 'Expect: a-pony\r\nContent-Length: 0', ''],
  ['400: a negative length', 400, 'Content-Length: -1', ''],
  ['400: a length that is no number', 400, 'Content-Length: two', '{}'],
  ['400: two lengths', 400, 'Content-Length: 2\r\nContent-Length: 3', '{}'],
  ['400: a length and chunks', 400, 'Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
  [
    '400: a chunk that has no size',
    400,
    'Content-Type: application/json\r\nTransfer-Encoding: chunked',
    'zz\r\n',
  ],
  ['400: a header without a colon', 400, 'Nonsense', ''],
  ['400: a header with a control character', 400, 'X-A: \u0001', ''],
  ['400: a folded header', 400, 'X-A: a\r\n b', ''],
  ['431: headers of 20 kB', 431, `X-A: ${'a'.repeat(20_000)}`, ''],
];

for (const [title, status, headers, body] of HEADERS) {
  test(title, async (t) => {
    const { port, operatorToken } = t.context.api;
    const answer = await rawCall(port, [
      `POST /executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\n${headers}\r\n\r\n${body}`,
    ]);
    t.is(answer.status, status);
    checkError(t, answer.body);
  });
}

const TARGETS: readonly (readonly [title: string, status: number, firstLine: string])[] = [
  ['404: an unknown path', 404, 'GET /nothing HTTP/1.1'],
  ['404: a trailing slash', 404, 'GET /health/ HTTP/1.1'],
  ['404: another case', 404, 'GET /Health HTTP/1.1'],
  ['404: two slashes', 404, 'GET //health HTTP/1.1'],
  ['404: a path that climbs', 404, 'GET /executions/../health HTTP/1.1'],
  ['404: a path that climbs in escapes', 404, 'GET /executions/%2e%2e%2fhealth/x HTTP/1.1'],
  ['404: an asterisk', 404, 'OPTIONS * HTTP/1.1'],
  ['400: an absolute target that is no URL', 400, 'GET http://[::1 HTTP/1.1'],
  ['400: broken percent-encoding', 400, 'GET /executions/%zz HTTP/1.1'],
  ['400: half an escape', 400, 'GET /executions/% HTTP/1.1'],
  ['400: a path that is not UTF-8', 400, 'GET /executions/%ff HTTP/1.1'],
  ['400: a surrogate in the path', 400, 'GET /executions/%ed%a0%80 HTTP/1.1'],
  ['400: U+0000 in the path', 400, 'GET /executions/a%00b HTTP/1.1'],
  ['400: U+0000 in the query', 400, 'GET /executions?workflow_id=%00 HTTP/1.1'],
  ['400: broken percent-encoding in the query', 400, 'GET /executions?workflow_id=%c3 HTTP/1.1'],
  ['400: a parameter twice', 400, 'GET /executions?limit=1&limit=2 HTTP/1.1'],
  ['404: a long id', 404, `GET /executions/${'a'.repeat(10_000)} HTTP/1.1`],
  ['404: an id that is a path', 404, 'GET /executions/%2fetc%2fpasswd HTTP/1.1'],
  ['404: an id that is SQL', 404, "GET /executions/1'%20or%201=1-- HTTP/1.1"],
  ['404: an id named like a property', 404, 'GET /executions/__proto__ HTTP/1.1'],
  ['404: a workflow named like a property', 404, 'GET /workflows/constructor HTTP/1.1'],
  ['405: another method', 405, 'DELETE /health HTTP/1.1'],
  ['405: a method of WebDAV', 405, 'PROPFIND /executions HTTP/1.1'],
  ['405: CONNECT', 405, 'CONNECT example.org:443 HTTP/1.1'],
  ['405: TRACE', 405, 'TRACE /executions HTTP/1.1'],
  ['400: a method that is none', 400, 'EAT /executions HTTP/1.1'],
  ['400: HTTP/2 without agreement', 400, 'PRI * HTTP/2.0'],
  ['400: no HTTP at all', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
];

for (const [title, status, firstLine] of TARGETS) {
  test(title, async (t) => {
    const { port, operatorToken } = t.context.api;
    const answer = await rawCall(port, [
      `${firstLine}\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\n\r\n`,
    ]);
    t.is(answer.status, status);
    checkError(t, answer.body);
  });
}

test('400: HTTP/1.1 without a Host header', async (t) => {
  const answer = await rawCall(t.context.api.port, ['GET /health HTTP/1.1\r\n\r\n']);
  t.is(answer.status, 400);
  t.deepEqual(answer.body, { error: 'bad request: the Host header is missing' });
});

test('200: an offered upgrade is passed over and the body is not lost', async (t) => {
  const body = '{"worker_id": "w", "queue_types": ["java_tool"]}';
  const answer = await rawCall(t.context.api.port, [
    `POST /work-items/claim HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.context.api.operatorToken}\r\n` +
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n' +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ]);
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { claimed: false });
});

for (const [title, bytes] of [
  ['400: no HTTP', '\x16\x03\x01\r\n\r\n'],
  ['405: CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['417: an expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: a-pony\r\n\r\n'],
] as const) {
  test(`${title} is answered with the headers of every answer`, async (t) => {
    const { port } = t.context.api;
    const got = await exchange({ port, parts: [Buffer.from(bytes, 'latin1')], answersDue: 1 });
    const [answer] = got.answers;
    t.is(answer && headerOf(answer, 'x-content-type-options'), 'nosniff');
    t.is(answer && headerOf(answer, 'cache-control'), 'no-store');
  });
}

test('400: a broken request is answered after those that came before it', async (t) => {
  const good = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
  const got = await exchange({
    port: t.context.api.port,
    parts: [Buffer.from(`${good}${good}EAT / HTTP/1.1\r\n\r\n`)],
    answersDue: 3,
  });
  t.deepEqual(
    got.answers.map(({ status }) => status),
    [200, 200, 400],
  );
  t.is(got.end, 'closed');
});

test('401: a request that breaks off after its answer gets no second one', async (t) => {
  const first = 'POST /executions HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';
  const { port } = t.context.api;
  const got = await exchange({ port, parts: [Buffer.from(first)], answersDue: 1 });
  t.deepEqual(
    got.answers.map(({ status }) => status),
    [401],
  );
  t.is(got.end, 'closed');
});

test('413: the connection can be used again', async (t) => {
  const { api } = t.context;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (options: RequestOptions, body: string) => {
    const sent = request({ agent, host: '127.0.0.1', port: api.port, ...options }).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, reused: sent.reusedSocket };
  };
  const headers = {
    authorization: `Bearer ${api.operatorToken}`,
    'content-type': 'application/json',
  };
  const tooLarge = { path: '/executions', method: 'POST', headers };
  t.deepEqual(await send(tooLarge, 'x'.repeat(2_000_000)), { status: 413, reused: false });
  t.deepEqual(await send({ path: '/health' }, ''), { status: 200, reused: true });
  agent.destroy();
});

test.serial('a sender that leaves in the middle of its body is no trouble', async (t) => {
  const { api } = t.context;
  const reported = api.nextReport('/executions');
  const socket = connect({ port: api.port, host: '127.0.0.1' });
  socket.write(`${head(api)}Content-Length: 40\r\n\r\n{"workflow_id"`);
  socket.end();
  t.is((await reported).status, 499);
  socket.destroy();
  t.deepEqual(api.troubles, []);
});

function head(api: TestApi): string {
  return (
    `POST /executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.operatorToken}\r\n` +
    'Content-Type: application/json\r\n'
  );
}

function nested(levels: number): string {
  return `{"workflow_id": "w", "input": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

function bytes(before: string, middle: readonly number[], after: string): Uint8Array {
  return Buffer.concat([Buffer.from(before), Buffer.from(middle), Buffer.from(after)]);
}

function checkError(
  t: { is: (actual: unknown, expected: unknown) => unknown; true: (actual: boolean) => unknown },
  body: object,
): void {
  t.is(Object.keys(body).join(), 'error');
  const { error } = body as { readonly error: string };
  t.true(error.length > 0 && !error.includes('node_modules') && !error.includes('.ts'));
}
