import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { ANSWER_HEADERS } from './middleware/request-context.ts';

/**
 * Hands requests on to the API, and answers what Node's HTTP server turns away before the API sees
 * a request, as JSON like any other error. Later bytes on such a connection are discarded: the
 * client takes the answer for theirs, and a refused request must not run. There is no `upgrade`
 * listener on purpose: a request that offers an upgrade (as Java's client does with `h2c`) is then
 * served like any other.
 */
export function serveRequests(server: Server, handle: RequestListener): void {
  const answered = new WeakSet<Duplex>();
  const lastOf = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    if (answered.has(request.socket)) return;
    lastOf.set(request.socket, response);
    handle(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Bytes after the answer fail to parse again and again.
    if (answered.has(socket)) return;
    answered.add(socket);
    const last = lastOf.get(socket);
    // The rest of an answered request broke off: the client would take a second answer for that to
    // its next request.
    if (last?.req.complete === false && last.writableFinished) return endGently(socket, '');
    afterEarlierAnswers(socket, () => answerParserError(error, socket));
  });
  server.on('checkExpectation', (request, response) => {
    sendError(response, 417, `expectation failed: ${request.headers.expect ?? ''}`);
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    endGently(socket, rawAnswer(405, 'method not allowed: CONNECT'));
  });
}

/**
 * A client may send the next request before it has the answer to the last one. When that next one is
 * broken, the answers that are still due come first: it would take ours for one of them.
 */
function afterEarlierAnswers(socket: Duplex, answer: () => void): void {
  const begun = responseOf(socket);
  // The one being answered is itself the one that broke off.
  if (begun?.req.complete !== true || !socket.writable) return answer();
  // Node takes up the next response as it closes this one.
  begun.once('close', () => setImmediate(() => afterEarlierAnswers(socket, answer)));
}

function responseOf(socket: Duplex): ServerResponse | null {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}

function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const begun = responseOf(socket);
  // Nobody to answer, or a part of another answer is out already: bytes in its middle would lie.
  if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent === true) {
    socket.destroy();
    return;
  }
  const { status, message } = describe(error.code);
  endGently(socket, rawAnswer(status, message));
}

/**
 * Answers and closes, but not at once: closing a socket with unread bytes resets the connection,
 * and the reset may overtake the answer.
 */
function endGently(socket: Duplex, answer: string): void {
  socket.end(answer);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

function describe(code: string | undefined): { readonly status: number; readonly message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'request timeout: the request did not arrive whole in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'bad request: the headers are larger than 16 KiB' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, message: 'payload too large: chunk extensions' };
    default:
      return { status: 400, message: 'bad request: not a well-formed HTTP request' };
  }
}

function rawAnswer(status: number, message: string): string {
  const body = JSON.stringify({ error: message });
  const headers = { ...headersOf(body), Connection: 'close' };
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ error: message });
  response.writeHead(status, headersOf(body));
  response.end(body);
}

/** Those of every answer, and those of this body. */
function headersOf(body: string): Readonly<Record<string, string>> {
  return {
    ...ANSWER_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
}
