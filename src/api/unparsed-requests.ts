import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Answers what Node's HTTP server turns away before the API sees a request, as JSON like any other
 * error. There is no `upgrade` listener on purpose: a request that offers an upgrade (as Java's
 * client does with `h2c`) is then served like any other.
 */
export function answerUnparsed(server: Server): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What still comes in after the answer fails to parse again and again.
    if (answered.has(socket)) return;
    answered.add(socket);
    answerParserError(error, socket);
  });
  server.on('checkExpectation', (request, response) => {
    sendError(response, 417, `expectation failed: ${request.headers.expect ?? ''}`);
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    endGently(socket, rawAnswer(405, 'method not allowed: CONNECT'));
  });
}

function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const begun = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage;
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
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ error: message });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
