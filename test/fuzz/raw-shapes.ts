import type { Dice } from '../simulation/dice.ts';

/** Bytes on a connection, and the expected answers. */
export interface RawShape {
  readonly name: string;
  readonly parts: readonly Buffer[];
  /** The expected answers in order, each as a list of possible statuses. */
  readonly expected: readonly (readonly number[])[];
  /** The client closes its side in the middle of the request. */
  readonly isCutOff: boolean;
}

const BAD = [400];
const OK = [200];

/**
 * Draws bytes that no HTTP client sends. `token` may read, so a 401 means that a second request was
 * smuggled in.
 */
export function drawRawShape(dice: Dice, given: { readonly token: string }): RawShape {
  const shapes = Object.entries(SHAPES);
  const [name, make] = dice.pick(shapes);
  const { parts, expected } = make({ dice, auth: `Authorization: Bearer ${given.token}` });
  const isCutOff = CUT_OFF.test(name);
  return { name, parts: parts.map((part) => Buffer.from(part, 'latin1')), expected, isCutOff };
}

/** Shapes that end in the middle of a request. */
const CUT_OFF = /half|cut short|never end|no body where|one line|random bytes|no HTTP/;

/**
 * Requests that the client never finishes, on a connection that it keeps open: the server must end
 * them.
 */
export const HELD_OPEN: readonly RawShape[] = Object.entries({
  'held open: nothing after half a line': 'GET /hea',
  'held open: nothing after half the headers': 'GET /health HTTP/1.1\r\nHost: x\r\nX-A',
  'held open: no body': 'POST /executions HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
  'held open: no last chunk':
    'POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n',
}).map(([name, text]) => ({
  name,
  parts: [Buffer.from(text)],
  // Without a token, the server answers before it reads the body.
  expected: [[401, 408]],
  isCutOff: false,
}));

type Make = (given: { readonly dice: Dice; readonly auth: string }) => {
  readonly parts: readonly string[];
  readonly expected: RawShape['expected'];
};

const post = (headers: string, body: string, auth: string): string =>
  `POST /v1/memory/recall HTTP/1.1\r\nHost: x\r\n${auth}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const get = (headers = ''): string => `GET /health HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const chunked =
  (body: string): Make =>
  ({ auth }) => ({ parts: [post('Transfer-Encoding: chunked', body, auth)], expected: [BAD] });
const head =
  (header: string, body = ''): Make =>
  ({ auth }) => ({ parts: [post(header, body, auth)], expected: [BAD] });
const line =
  (first: string, expected: readonly number[]): Make =>
  ({ auth }) => ({ parts: [`${first}\r\nHost: x\r\n${auth}\r\n\r\n`], expected: [expected] });

/** The server must never handle the second request as a separate one. */
const SMUGGLED = 'GET /tenants HTTP/1.1\r\nHost: x\r\n\r\n';

const SHAPES: Readonly<Record<string, Make>> = {
  'length and chunks': head(
    'Content-Length: 4\r\nTransfer-Encoding: chunked',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'chunks and length': head(
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'two lengths': head('Content-Length: 2\r\nContent-Length: 60', `{}${SMUGGLED}`),
  'two equal lengths': head('Content-Length: 2\r\nContent-Length: 2', `{}`),
  'lengths in a list': head('Content-Length: 2, 2', `{}${SMUGGLED}`),
  'a length with a sign': head('Content-Length: +2', `{}`),
  'a length in hex': head('Content-Length: 0x2', `{}`),
  'a negative length': head('Content-Length: -2', `{}`),
  'a length beyond 2^64': head('Content-Length: 18446744073709551618', `{}`),
  'an empty length': head('Content-Length: ', `{}`),
  'a length with a space before the colon': head('Content-Length : 2', `{}`),
  'an unknown transfer coding': head('Transfer-Encoding: xchunked', `0\r\n\r\n`),
  'chunked not last': head('Transfer-Encoding: chunked, identity', `0\r\n\r\n`),
  'chunked twice': head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n`),
  'a coding behind a vertical tab': head(
    'Transfer-Encoding: \u000bchunked',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'a coding with a space before the colon': head('Transfer-Encoding : chunked', `0\r\n\r\n`),
  'a coding on a folded line': head('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${SMUGGLED}`),
  'a chunk without a size': chunked(`\r\n{}\r\n0\r\n\r\n`),
  'a chunk size that is none': chunked(`zz\r\n{}\r\n0\r\n\r\n`),
  'a negative chunk size': chunked(`-2\r\n{}\r\n0\r\n\r\n`),
  'a chunk size with a prefix': chunked(`0x2\r\n{}\r\n0\r\n\r\n`),
  'a chunk size beyond 2^64': chunked(`fffffffffffffffff2\r\n{}\r\n0\r\n\r\n`),
  'a chunk longer than its size': chunked(`1\r\n{}\r\n0\r\n\r\n`),
  'a chunk that ends in a line feed alone': chunked(`2\n{}\n0\n\n`),
  'a chunk with an extension of 100 kB': ({ auth }) => ({
    parts: [
      post('Transfer-Encoding: chunked', `2;a=${'b'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`, auth),
    ],
    expected: [[413]],
  }),
  'chunks that never end': chunked(`2\r\n{}\r\n`),
  'a body cut short': head('Content-Length: 100', `{"query":`),
  'no body where one is announced': head('Content-Length: 100'),
  'a header without a colon': head('Nonsense'),
  'a header without a name': head(': x'),
  'a name with a space': head('X Y: z'),
  'a name with a control character': head('X\u0001: z'),
  'a value with U+0000': head('X-A: a\0b'),
  'a value with a carriage return': head('X-A: a\rb'),
  'a folded value': head('X-A: a\r\n b'),
  'headers of 20 kB': ({ auth }) => ({
    parts: [`GET /health HTTP/1.1\r\nHost: x\r\n${auth}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    expected: [[431]],
  }),
  'headers of 20 MB': () => ({
    parts: [
      'GET /health HTTP/1.1\r\nHost: x\r\n',
      ...Array.from({ length: 20 }, (_, n) => `X-${n}: ${'a'.repeat(1_000_000)}\r\n`),
    ],
    expected: [[431]],
  }),
  'two thousand headers': () => ({
    parts: [get(Array.from({ length: 1_500 }, (_, n) => `X-${n}: a\r\n`).join(''))],
    expected: [[200, 431]],
  }),
  'no host': () => ({ parts: ['GET /health HTTP/1.1\r\n\r\n'], expected: [BAD] }),
  'two hosts': () => ({
    parts: ['GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    expected: [[200, 400]],
  }),
  'an empty host': () => ({ parts: ['GET /health HTTP/1.1\r\nHost:\r\n\r\n'], expected: [BAD] }),
  'a target of 20 kB': () => ({
    parts: [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    expected: [[431]],
  }),
  'a target with a space': line('GET /hea lth HTTP/1.1', BAD),
  'a target with U+0000': line('GET /hea\0lth HTTP/1.1', BAD),
  'a target in Latin-1': line('GET /\u00e9 HTTP/1.1', [400, 404]),
  'a target without a slash': line('GET health HTTP/1.1', BAD),
  'a target with a fragment': line('GET /health#x HTTP/1.1', [200, 400, 404]),
  'an absolute target elsewhere': line('GET http://evil.invalid/tenants HTTP/1.1', [200, 400, 403]),
  'an absolute target with a broken host': line('GET http://[::1 HTTP/1.1', BAD),
  'an absolute target of another scheme': line('GET file:///etc/passwd HTTP/1.1', [400, 404]),
  'a target of backslashes': line('GET \\health HTTP/1.1', BAD),
  'an authority': line('GET evil.invalid:80 HTTP/1.1', BAD),
  'no target': line('GET  HTTP/1.1', BAD),
  // HTTP/0.9 has no version, and Node's parser still accepts that.
  'no version': line('GET /health', [200, 400]),
  'an unknown version': line('GET /health HTTP/9.9', BAD),
  'HTTP/2 without agreement': () => ({
    parts: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    expected: [BAD],
  }),
  'an unknown method': line('EAT /health HTTP/1.1', BAD),
  'a method in lower case': line('get /health HTTP/1.1', BAD),
  'a method of 10 kB': line(`${'A'.repeat(10_000)} /health HTTP/1.1`, BAD),
  'a method of WebDAV': line('PROPFIND /executions HTTP/1.1', [405]),
  CONNECT: () => ({
    parts: ['CONNECT evil.invalid:443 HTTP/1.1\r\nHost: evil.invalid\r\n\r\n'],
    expected: [[405]],
  }),
  TRACE: line('TRACE /executions HTTP/1.1', [405]),
  'an asterisk': line('OPTIONS * HTTP/1.1', [404]),
  'no HTTP at all': ({ dice }) => ({
    parts: [`\x16\x03\x01\x02\x00\x01${Buffer.from(dice.bytes(200)).toString('latin1')}`],
    expected: [BAD],
  }),
  'random bytes': ({ dice }) => ({
    parts: [`\x80${Buffer.from(dice.bytes(500)).toString('latin1')}`],
    expected: [BAD],
  }),
  'a line feed alone': () => ({ parts: ['GET /health HTTP/1.1\nHost: x\n\n'], expected: [BAD] }),
  'a request of one line': () => ({ parts: ['GET /health\r\n\r\n'], expected: [BAD] }),
  'half a request line': () => ({ parts: ['GET /hea'], expected: [BAD] }),
  'half the headers': () => ({
    parts: ['GET /health HTTP/1.1\r\nHost: x\r\nX-A'],
    expected: [BAD],
  }),
  'byte by byte': () => ({ parts: get().split(''), expected: [OK] }),
  'empty lines before a request': () => ({ parts: [`\r\n\r\n${get()}`], expected: [OK] }),
  'three requests at once': () => ({ parts: [get() + get() + get()], expected: [OK, OK, OK] }),
  'a hundred requests at once': () => ({
    parts: [get().repeat(100)],
    expected: Array.from({ length: 100 }, () => OK),
  }),
  'a good request and a broken one': () => ({
    parts: [`${get()}EAT / HTTP/1.1\r\n\r\n`],
    expected: [OK, BAD],
  }),
  'a good request and half of one': () => ({ parts: [`${get()}GET /hea`], expected: [OK, BAD] }),
  'a body nobody reads, then a request': ({ auth }) => ({
    parts: [
      `GET /health HTTP/1.1\r\nHost: x\r\n${auth}\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}${get()}`,
    ],
    expected: [OK, OK],
  }),
  'a body without a token, then a request': () => ({
    parts: [
      `POST /executions HTTP/1.1\r\nHost: x\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}${get()}`,
    ],
    expected: [[401], OK],
  }),
  'a refused type, then a request': ({ auth }) => ({
    parts: [
      `POST /executions HTTP/1.1\r\nHost: x\r\n${auth}\r\nContent-Type: text/plain\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}${get()}`,
    ],
    expected: [[415], OK],
  }),
  'an expectation met': ({ auth }) => ({
    parts: [post('Expect: 100-continue\r\nContent-Length: 2', '[]', auth)],
    expected: [BAD],
  }),
  'an upgrade to a web socket': () => ({
    parts: [
      get(
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n',
      ),
    ],
    expected: [OK],
  }),
  'connection headers that name others': ({ auth }) => ({
    parts: [
      `GET /health HTTP/1.1\r\nHost: x\r\n${auth}\r\nConnection: close, Authorization, Host\r\n\r\n`,
    ],
    expected: [OK],
  }),
  'trailers that look like headers': ({ auth }) => ({
    parts: [
      post(
        'Transfer-Encoding: chunked\r\nTrailer: Authorization',
        `2\r\n[]\r\n0\r\nAuthorization: Bearer x\r\nX-Tenant-Id: y\r\n\r\n`,
        auth,
      ),
    ],
    expected: [BAD],
  }),
  'two tokens': () => ({
    parts: [
      'GET /tenants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
    ],
    expected: [[401]],
  }),
  'HTTP/1.0': () => ({ parts: ['GET /health HTTP/1.0\r\n\r\n'], expected: [OK] }),
  'HTTP/1.0 with chunks': ({ auth }) => ({
    parts: [`POST /executions HTTP/1.0\r\n${auth}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    expected: [[400, 415]],
  }),
};
